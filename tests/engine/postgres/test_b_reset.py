from tests.engine.test_reset import *  # noqa: F403
