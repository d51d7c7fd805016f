from tests.engine.test_witness import *  # noqa: F403
