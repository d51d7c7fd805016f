from tests.engine.test_deduplication import *  # noqa: F403
