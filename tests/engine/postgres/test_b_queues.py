from tests.engine.test_queues import *  # noqa: F403
