"""Clocks that all nodes share."""

import pytest

from emulator.clock import Adjustment
from tests.engine.postgres.ears import Ears


@pytest.fixture
def nodes(open_node):
    return open_node(), open_node()


def test_clocks_that_are_adjusted_are_known_on_all_nodes_when_it_is_answered(nodes):
    ours, theirs = nodes
    ears = Ears(theirs.engine)
    stands_still = Adjustment(1_000_000, 2_000_000, True, 1.0)
    ours.adjust(None, lambda there: stands_still)
    ours.adjust("111122223333", lambda there: there or stands_still._replace(speed=2.5))
    assert ears.clocks == 2
    assert theirs.adjustments() == {None: stands_still, "111122223333": stands_still._replace(speed=2.5)}
    theirs.adjust("111122223333", lambda there: there._replace(base_ns=there.base_ns + 1_000))
    assert ours.adjustments()["111122223333"].base_ns == 1_001_000
    ours.forget_adjustments(None)
    assert theirs.adjustments() == {None: stands_still}
    ours.reset()
    theirs.adjust(None, lambda there: None)
    assert ours.adjustments() == {}


def test_a_clock_that_is_adjusted_on_all_nodes_at_once_misses_nothing(nodes):
    ours, _ = nodes

    def advance(there):
        there = there or Adjustment(0, 0, True, 1.0)
        return there._replace(base_ns=there.base_ns + 1_000)

    ours.together(*(node.engine.adjust(None, advance) for node in nodes * 10))
    assert ours.adjustments()[None].base_ns == 20_000
