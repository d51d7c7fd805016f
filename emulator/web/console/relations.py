"""Which queue's spent messages go where, and how that is drawn: boxes in columns, arrows to the right."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from emulator.domain.model import Queue, QueueKey, key_of_arn
from emulator.domain.redrive import parse_redrive_policy

BOX_WIDTH = 168
BOX_HEIGHT = 40
COLUMN = 248
"""From the left edge of a box to that of the box its arrow leads to."""
ROW = 52
MARGIN = 4
MAX_LEVEL = 8
_NAME_LENGTH = 20


class Link(msgspec.Struct, frozen=True):
    """One RedrivePolicy."""

    source: QueueKey
    target: QueueKey
    max_receive_count: int
    is_dangling: bool = False
    """There is no such target."""


class Box(msgspec.Struct, frozen=True):
    key: QueueKey
    x: int
    y: int
    is_target: bool
    is_missing: bool

    @property
    def label(self) -> str:
        name = self.key.name
        return name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}…"


class Arrow(msgspec.Struct, frozen=True):
    link: Link
    line: str
    head: str
    """Paths of SVG."""
    label_x: int
    label_y: int


class Drawing(msgspec.Struct, frozen=True):
    """Queues that hang together."""

    width: int
    height: int
    boxes: list[Box]
    arrows: list[Arrow]


def link_of(queue: Queue, keys: Iterable[QueueKey]) -> Link | None:
    """`keys`: of the queues that there are."""
    text = queue.attributes.get("RedrivePolicy")
    if text is None:
        return None
    policy = parse_redrive_policy(text, None)
    target = key_of_arn(policy.dead_letter_target_arn)
    if target is None:
        return None
    return Link(queue.key, target, policy.max_receive_count, target not in keys)


def links_of(queues: Iterable[Queue], keys: Iterable[QueueKey]) -> list[Link]:
    found = [link_of(queue, keys) for queue in queues]
    return [link for link in found if link is not None]


def sources_of(queue: Queue, links: Iterable[Link]) -> list[QueueKey]:
    """The queues whose dead letters this one gets."""
    return [link.source for link in links if link.target == queue.key]


def drawings(links: Sequence[Link]) -> list[Drawing]:
    """One for each group of queues that hang together, in the order in which the links name them."""
    return [_drawn(group) for group in _groups(links)]


def _groups(links: Sequence[Link]) -> list[list[Link]]:
    head_of: dict[QueueKey, QueueKey] = {}

    def head(key: QueueKey) -> QueueKey:
        """The queue that stands for all that this one hangs together with."""
        while (above := head_of.setdefault(key, key)) != key:
            key = above
        return key

    for link in links:
        head_of[head(link.target)] = head(link.source)
    groups: dict[QueueKey, list[Link]] = {}
    for link in links:
        groups.setdefault(head(link.source), []).append(link)
    return list(groups.values())


def _levels(links: Sequence[Link]) -> dict[QueueKey, int]:
    """The column of each queue: one more than that of its sources. Circles end somewhere."""
    levels: dict[QueueKey, int] = {}
    for link in links:
        levels.setdefault(link.source, 0)
        levels.setdefault(link.target, 0)
    for _ in range(min(len(levels), MAX_LEVEL)):
        for link in links:
            if link.source != link.target:
                wanted = min(levels[link.source] + 1, MAX_LEVEL)
                levels[link.target] = max(levels[link.target], wanted)
    columns = {level: column for column, level in enumerate(sorted(set(levels.values())))}
    return {key: columns[level] for key, level in levels.items()}


def _drawn(links: Sequence[Link]) -> Drawing:
    levels = _levels(links)
    rows = _rows(links, levels)
    missing = {link.target for link in links if link.is_dangling}
    targets = {link.target for link in links}
    boxes = {
        key: Box(
            key,
            MARGIN + level * COLUMN,
            MARGIN + round(rows[key] * ROW),
            is_target=key in targets,
            is_missing=key in missing,
        )
        for key, level in levels.items()
    }
    width = MARGIN * 2 + max(levels.values()) * COLUMN + BOX_WIDTH
    if any(boxes[link.target].x <= boxes[link.source].x for link in links):
        width += COLUMN - BOX_WIDTH  # room for arrows that turn back
    height = MARGIN * 2 + round(max(rows.values()) * ROW) + BOX_HEIGHT
    return Drawing(width, height, list(boxes.values()), [_arrow(link, boxes) for link in links])


def _rows(links: Sequence[Link], levels: Mapping[QueueKey, int]) -> dict[QueueKey, float]:
    """A queue stands in the middle of its sources, and below those of its column that were there before."""
    rows: dict[QueueKey, float] = {}
    for level in range(max(levels.values()) + 1):
        free = 0.0
        for key in (key for key, own in levels.items() if own == level):
            placed = [rows[link.source] for link in links if link.target == key and link.source in rows]
            wanted = sum(placed) / len(placed) if placed else free
            rows[key] = max(wanted, free)
            free = rows[key] + 1
    return rows


def _arrow(link: Link, boxes: Mapping[QueueKey, Box]) -> Arrow:
    source, target = boxes[link.source], boxes[link.target]
    start_x, start_y = source.x + BOX_WIDTH, source.y + BOX_HEIGHT // 2
    end_y = target.y + BOX_HEIGHT // 2
    if target.x > source.x:
        end_x = target.x - 1
        middle = (start_x + end_x) // 2
        line = f"M{start_x} {start_y}C{middle} {start_y} {middle} {end_y} {end_x - 6} {end_y}"
        head = f"M{end_x - 8} {end_y - 5}L{end_x} {end_y}L{end_x - 8} {end_y + 5}z"
        return Arrow(link, line, head, start_x + 8, start_y - 6)
    # To itself or back: out at the right, and in again there.
    end_x, bend = target.x + BOX_WIDTH + 1, start_x + 48
    if end_y == start_y:
        end_y += 12
    line = f"M{start_x} {start_y}C{bend} {start_y} {bend} {end_y} {end_x + 6} {end_y}"
    head = f"M{end_x + 8} {end_y - 5}L{end_x} {end_y}L{end_x + 8} {end_y + 5}z"
    return Arrow(link, line, head, start_x + 8, start_y - 6)
