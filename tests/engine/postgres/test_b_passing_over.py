from tests.engine.test_passing_over import *  # noqa: F403
