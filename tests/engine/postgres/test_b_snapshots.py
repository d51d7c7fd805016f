from tests.engine.test_snapshots import *  # noqa: F403
