"""Two names turn out to be one visitor: one state out of two. Pure."""

import msgspec

from spark_jobs.visitor import Visitor, VisitorState


def joined(older: Visitor, newer: Visitor, watermark: int) -> Visitor:
    """A visitor with the events of both, under the older one's first name.

    Both are settled first: every session that either of them has now is told, so that the ones
    that vanish can be told to be merged, and what is final by now is forgotten on both sides.
    Apart from that they stay as they are.
    """
    older.settle(watermark)
    newer.settle(watermark)
    state = _state_of(older, newer)
    owner = msgspec.structs.replace(older.owner, others=state.names)
    both = Visitor(owner, state, older.rules, older.retold)
    both.thin(max((event.arrival for event in state.events), default=0))
    return both


def _state_of(older: Visitor, newer: Visitor) -> VisitorState:
    first, second = older.state, newer.state
    names = [*first.names, newer.owner.visitor_id, *second.names]
    shift = len(first.contexts)
    moved = (
        msgspec.structs.replace(
            event, context=event.context + shift, who=event.who + 1 + len(first.names)
        )
        for event in second.events
    )
    return VisitorState(
        events=sorted([*first.events, *moved]),
        contexts=[*first.contexts, *second.contexts],
        published=first.published | second.published,
        floor=max(first.floor, second.floor),
        thinned=_newest(first.thinned, second.thinned),
        newest=max(first.newest, second.newest),
        spent=_spent(first.spent, second.spent),
        names=names,
    )


def _newest(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    return {minute: max(one.get(minute, 0), other.get(minute, 0)) for minute in {*one, *other}}


def _spent(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    if one[0] == other[0]:
        return one[0], one[1] + other[1]
    return max(one, other)
