"""Sessions as a pure function of a visitor's events. Stream and batch both call it.

No clock, no I/O, no state: the same set of events gives the same sessions in any order.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from hashlib import blake2b
from itertools import groupby

import msgspec

from contracts import EventKind
from spark_jobs.rules import MINUTE_MS, Rules

PAGE, API, CUSTOM, ENGAGEMENT = range(4)
KINDS: dict[EventKind, int] = {
    "page": PAGE,
    "api": API,
    "custom": CUSTOM,
    "engagement": ENGAGEMENT,
}
"""The numbers stand in checkpoints."""


class Kept(msgspec.Struct, array_like=True, order=True, gc=False):
    """What a session needs to know of one event.

    The first three fields are the total order of a visitor's events: event_time, the
    producer's sequence, and the event's identity, so that ties break the same way every time.
    ``arrival`` grows with the event's place in its partition. ``response`` is how many ms
    after event_time the response ended; ``context`` an index into the visitor's contexts.
    ``gap`` is the event's own, 0 for the rules' common one; ``who`` the number of the name that
    its visitor went by; ``engaged`` the reading time in ms that the event reports. Checkpoints of
    before lack the last fields: each has a default.
    """

    time: int
    sequence: int
    identity: bytes
    arrival: int
    kind: int
    path: str
    response: int
    broker_time: int
    context: int = 0
    is_error: bool = False
    is_clamped: bool = False
    gap: int = 0
    who: int = 0
    engaged: int = 0


class Cut(msgspec.Struct, gc=False):
    """One session: its events in order, and how it is bounded.

    ``expires`` is the last event_time at which a further event would still join. ``reason``
    is "" for a session that ends by silence, else the flag of the bound that ends it sooner.
    """

    events: list[Kept]
    expires: int
    reason: str = ""

    @property
    def first(self) -> Kept:
        """The event that began it."""
        return self.events[0]

    @property
    def last(self) -> Kept:
        """The newest event in it."""
        return self.events[-1]


def sessionize(events: list[Kept], rules: Rules) -> list[Cut]:
    """Cut events, sorted ascending, into sessions. An event exactly one gap later joins.

    Each event brings its own gap: a session reaches as far as the farthest of its events does.
    """
    return list(each_session(events, rules))


def each_session(events: list[Kept], rules: Rules) -> Iterator[Cut]:
    """The same, one by one: the first session is known without a look at the others."""
    if not events:
        return
    begin, reach = 0, events[0].time
    for index, event in enumerate(events):
        if _ends_before(event, events[begin], index - begin, reach, rules):
            yield _cut(events[begin:index], reach, rules)
            begin, reach = index, event.time
        reach = max(reach, reach_of(event, rules))
    yield _cut(events[begin:], reach, rules)


def reach_of(event: Kept, rules: Rules) -> int:
    """The last event_time at which the event alone would keep its session going."""
    return event.time + (event.gap or rules.gap)


def _ends_before(event: Kept, first: Kept, count: int, reach: int, rules: Rules) -> bool:
    """Whether a session of ``count`` events that began with ``first`` does not take ``event``."""
    if event.time > reach or count >= rules.max_events:
        return True
    return event.time >= first.time + rules.max_length


def _cut(events: list[Kept], reach: int, rules: Rules) -> Cut:
    # The reason must not wait for a next event: that may come when the session is final.
    if len(events) >= rules.max_events:
        # A full session takes nothing after its last event, so nothing later can be late by it.
        return Cut(events, events[-1].time, "cut_count")
    longest = events[0].time + rules.max_length - 1
    return Cut(events, longest, "cut_length") if reach > longest else Cut(events, reach)


def insert(
    events: list[Kept], event: Kept, rules: Rules, spent: tuple[int, int] = (0, 0)
) -> Kept | None:
    """Insert in order; the event that the per-minute bound pushes out, if it does.

    Keeping the smallest of each clock minute is what makes the bound independent of arrival.
    ``spent`` is a clock minute and how many smaller events of it were kept but are forgotten.
    """
    insort(events, event)
    minute = minute_of(event)
    room = rules.max_per_minute - (spent[1] if spent[0] == minute else 0)
    if len(events) <= room:
        return None
    begin = bisect_left(events, minute * MINUTE_MS, key=_time)
    end = bisect_left(events, (minute + 1) * MINUTE_MS, lo=begin, key=_time)
    return events.pop(end - 1) if end - begin > room else None


def crowded(events: list[Kept], most: int) -> list[Kept]:
    """The events beyond the first ``most`` of each clock minute; sorted in, sorted out."""
    found = []
    for _, minute in groupby(events, key=minute_of):
        found += [*minute][most:]
    return found


def minute_of(event: Kept) -> int:
    """The event's clock minute, counted since 1970."""
    return event.time // MINUTE_MS


def _time(event: Kept) -> int:
    return event.time


def session_id(site_id: str, visitor_id: str, first: Kept) -> str:
    """24 hex digits: a function of site, visitor and the session's first event."""
    text = f"{site_id}\n{visitor_id}\n{first.time}\n".encode()
    return blake2b(text + first.identity, digest_size=12).hexdigest()


def pack_identity(event_id: str) -> bytes:
    """A UUID in its canonical form as 16 bytes, anything else as its text after a zero byte.

    Order among UUIDv7s, which is the order of their making, is kept.
    """
    if len(event_id) == 36 and event_id[8] == "-" and event_id.islower():
        try:
            packed = bytes.fromhex(event_id.replace("-", ""))
        except ValueError:
            return b"\0" + event_id.encode()
        if len(packed) == 16 and event_id[13] == event_id[18] == event_id[23] == "-":
            return packed
    return b"\0" + event_id.encode()
