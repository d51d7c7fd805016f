from tests.engine.test_peek import *  # noqa: F403
