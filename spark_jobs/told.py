"""What consumers are told of a visitor's sessions: names, revisions, and what changed. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import takewhile, zip_longest

import msgspec

from contracts import SessionStatus
from spark_jobs.rules import Rules
from spark_jobs.sessions import Cut, Kept, minute_of, reach_of, session_id

RANKS: dict[SessionStatus, int] = {"open": 0, "closed": 1, "final": 2, "merged": 3}


REACHED = 1_000
"""How many events after one are looked through for sessions that it reaches."""


class Named(msgspec.Struct, frozen=True, gc=False):
    """A session of the visitor, and the newest arrival that its revision must tell of."""

    cut: Cut
    arrival: int
    is_thinned: bool


class Change(msgspec.Struct, frozen=True, gc=False):
    """A session that consumers must hear of. ``merged_into`` names the session that took it."""

    session_id: str
    revision: int
    status: SessionStatus
    cut: Cut
    context: bytes
    is_thinned: bool
    merged_into: str | None = None


class Owner(msgspec.Struct, frozen=True):
    """Whose sessions they are. ``others``: the visitor's further names, numbered from 1."""

    site_id: str
    visitor_id: str
    others: list[str] = []

    @property
    def key(self) -> str:
        """Under which the visitor is kept."""
        return f"{self.site_id}/{self.visitor_id}"

    def goes_by(self, name: str) -> bool:
        """Whether it is one of the visitor's names."""
        return name == self.visitor_id or name in self.others

    def number_of(self, name: str) -> int:
        """The name's number, which is the next one for a new name."""
        if name == self.visitor_id:
            return 0
        others = self.others
        return 1 + (others.index(name) if name in others else len(others))

    def named(self, event: Kept) -> str:
        """The name that the event came under."""
        return self.others[event.who - 1] if event.who else self.visitor_id

    def session_of(self, first: Kept) -> str:
        """The id of the session that the event begins."""
        return session_id(self.site_id, self.named(first), first)


def named_sessions(
    owner: Owner, cuts: list[Cut], newest: int, thinned: dict[int, int]
) -> dict[str, Named]:
    """By session id, in order. ``newest`` is the newest arrival among all that was forgotten."""
    details = zip(
        cuts, _newest_arrivals(cuts, newest, thinned), _thinned(cuts, thinned), strict=True
    )
    return {
        owner.session_of(cut.first): Named(cut, arrival, is_thinned)
        for cut, arrival, is_thinned in details
    }


def names_at_stake(
    events: list[Kept], event: Kept, pushed_out: Kept | None, rules: Rules
) -> list[Kept]:
    """First events of sessions that may have vanished when ``event`` was inserted.

    Those are the ones that it reaches and what is before them does not, and the one that the
    per-minute bound pushed out. What the other bounds cut is not looked at.
    """
    following = bisect_right(events, event)
    reached = takewhile(
        lambda place: events[place].time <= reach_of(event, rules),
        # With one gap for all, it reaches a second session only through the first.
        range(following, min(len(events), following + (REACHED if rules.gaps else 1))),
    )
    found = [events[place] for place in reached]
    if pushed_out is not None:
        found.append(pushed_out)
    return [one for one in found if _may_begin(events, one, event, rules)]


def _may_begin(events: list[Kept], one: Kept, inserted: Kept, rules: Rules) -> bool:
    before = bisect_left(events, one) - 1
    if before >= 0 and events[before] is inserted:
        before -= 1
    return before < 0 or reach_of(events[before], rules) < one.time


def revision_of(arrival: int, status: SessionStatus) -> int:
    """Grows with every event that joins, then with closed, final, merged.

    It comes from places in the partition, so it is the same however records are batched.
    """
    return arrival * len(RANKS) + RANKS[status]


def holder_of(named: dict[str, Named], start: int) -> str:
    """The session that holds what began at ``start``: the last one that begins no later."""
    chosen = next(iter(named))
    for identifier, session in named.items():
        if session.cut.first.time <= start:
            chosen = identifier
    return chosen


def _thinned(cuts: list[Cut], minutes: Iterable[int]) -> list[bool]:
    """For each session whether events were left out after one of its own.

    In a minute that several sessions share it is the last one that lost them: the others may
    be final by then.
    """
    shared = (minute_of(cut.first) for cut in cuts[1:])
    return [
        any(
            minute_of(cut.first) <= minute <= minute_of(cut.last) and minute != next_one
            for minute in minutes
        )
        for cut, next_one in zip_longest(cuts, shared)
    ]


def _newest_arrivals(cuts: list[Cut], newest: int, thinned: dict[int, int]) -> list[int]:
    """For each session the newest arrival among it and all of the visitor's earlier events.

    A bound may end a session early because of any event before it, so one that arrives
    there can bring back a session that was merged; its revision must then be higher too.
    """
    arrivals = []
    for cut in cuts:
        newest = max(newest, *[event.arrival for event in cut.events])
        for minute, arrival in thinned.items():
            if minute <= minute_of(cut.last):
                newest = max(newest, arrival)
        arrivals.append(newest)
    return arrivals
