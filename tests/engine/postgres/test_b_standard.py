from tests.engine.test_standard import *  # noqa: F403
