from tests.engine.test_history import *  # noqa: F403
