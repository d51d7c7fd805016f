from tests.engine.test_fifo_order import *  # noqa: F403
