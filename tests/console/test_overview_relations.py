import itertools

from emulator.domain.model import QueueKey
from emulator.web.console.relations import BOX_WIDTH, COLUMN, MARGIN, ROW, Drawing, Link, drawings


def key(name: str) -> QueueKey:
    return QueueKey("000000000000", "us-east-1", name)


def link(source: str, target: str) -> Link:
    return Link(key(source), key(target), 3)


def places(drawing: Drawing) -> dict[str, tuple[int, float]]:
    """Column and row of each queue."""
    return {
        box.key.name: ((box.x - MARGIN) // COLUMN, round((box.y - MARGIN) / ROW, 2)) for box in drawing.boxes
    }


def test_without_links_there_is_nothing_to_draw():
    assert drawings([]) == []


def test_a_dead_letter_queue_stands_right_of_the_middle_of_its_sources():
    (drawing,) = drawings([link("a", "dlq"), link("b", "dlq"), link("c", "dlq")])
    assert places(drawing) == {"a": (0, 0), "b": (0, 1), "c": (0, 2), "dlq": (1, 1)}
    assert drawing.width == 2 * MARGIN + COLUMN + BOX_WIDTH


def test_queues_that_have_nothing_to_do_with_each_other_are_drawn_apart():
    found = drawings([link("a", "a-dlq"), link("b", "b-dlq"), link("c", "a-dlq")])
    assert [sorted(places(one)) for one in found] == [["a", "a-dlq", "c"], ["b", "b-dlq"]]


def test_groups_that_a_later_link_joins_are_one():
    found = drawings([link("a", "x"), link("b", "y"), link("x", "z"), link("y", "z")])
    assert [places(one) for one in found] == [
        {"a": (0, 0), "b": (0, 1), "x": (1, 0), "y": (1, 1), "z": (2, 0.5)}
    ]


def test_a_dead_letter_queue_with_one_of_its_own_makes_a_chain():
    (drawing,) = drawings([link("b", "c"), link("a", "b")])
    assert places(drawing) == {"a": (0, 0), "b": (1, 0), "c": (2, 0)}


def test_a_queue_that_is_its_own_dead_letter_queue_is_drawn_with_an_arrow_that_turns_back():
    (drawing,) = drawings([link("a", "a")])
    assert places(drawing) == {"a": (0, 0)}
    (arrow,) = drawing.arrows
    assert arrow.line == "M172 24C220 24 220 36 179 36"
    assert drawing.width == 2 * MARGIN + COLUMN


def test_circles_end():
    (drawing,) = drawings([link("a", "b"), link("b", "c"), link("c", "a")])
    assert sorted(places(drawing)) == ["a", "b", "c"]
    assert len(drawing.arrows) == 3


def test_boxes_of_a_column_never_lie_on_each_other():
    (drawing,) = drawings([link("a", "x"), link("a2", "x"), link("b", "y"), link("x", "z"), link("y", "z")])
    taken = [(box.x, box.y) for box in drawing.boxes]
    assert len(set(taken)) == len(taken)
    rows = sorted(box.y for box in drawing.boxes if box.x == MARGIN)
    assert all(lower - upper >= ROW for upper, lower in itertools.pairwise(rows))


def test_long_names_are_cut_in_the_drawing():
    (drawing,) = drawings([link("a-queue-with-a-very-long-name", "dlq")])
    assert [box.label for box in drawing.boxes] == ["a-queue-with-a-very…", "dlq"]
