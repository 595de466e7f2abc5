"""One visitor's state between batches, and what changes in it are worth publishing.

Pure: time comes in as the bucket's watermark, and updates go out as values.
"""

from typing import Literal

import msgspec

from contracts import WATERMARK_START, SessionStatus
from spark_jobs.rules import MINUTE_MS, Rules
from spark_jobs.sessions import Cut, Kept, insert, reach_of, session_id, sessionize

Outcome = Literal["accepted", "duplicate", "late"]

RANKS: dict[SessionStatus, int] = {"open": 0, "closed": 1, "final": 2, "merged": 3}
SCANNED_IDENTITIES = 32
"""Up to this many events a linear search for a duplicate is cheaper than building a set."""
CONTEXTS_KEPT = 16


class Published(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What consumers were last told of a session that is not yet final."""

    revision: int
    start: int


class VisitorState(msgspec.Struct, array_like=True):
    """What is stored. ``events`` are sorted; ``contexts`` are msgpack, shared by events.

    Events at or before ``floor`` belong to sessions that are final. ``thinned`` tells for
    each clock minute in which the per-minute bound cut events the newest arrival it cut.
    ``newest`` is the newest arrival among all that was forgotten.
    """

    events: list[Kept] = []
    contexts: list[bytes] = []
    published: dict[str, Published] = {}
    floor: int = WATERMARK_START
    thinned: dict[int, int] = {}
    newest: int = 0


class Change(msgspec.Struct, frozen=True, gc=False):
    """A session that consumers must hear of. ``merged_into`` names the session that took it."""

    session_id: str
    revision: int
    status: SessionStatus
    cut: Cut
    context: bytes
    is_thinned: bool
    merged_into: str | None = None


class Visitor:
    """A visitor while its bucket is being worked on."""

    def __init__(self, site_id: str, visitor_id: str, state: VisitorState, rules: Rules) -> None:
        self.site_id = site_id
        self.visitor_id = visitor_id
        self.state = state
        self.rules = rules
        self.changes: list[Change] = []
        self.evicted = 0
        self._identities: set[bytes] | None = None

    def is_duplicate(self, identity: bytes) -> bool:
        """Whether an event with that identity is in a session that is not yet final."""
        if self._identities is None and len(self.state.events) <= SCANNED_IDENTITIES:
            return identity in [event.identity for event in self.state.events]
        if self._identities is None:
            self._identities = {event.identity for event in self.state.events}
        return identity in self._identities

    def accept(self, event: Kept, context: bytes, watermark: int) -> Outcome:
        """Take the event in, unless it is known or the session it belongs to is final.

        Sets the event's ``context`` to where that stands among the visitor's. ``watermark``
        is the bucket's at the event's place in the partition, so the outcome does not depend
        on how records fall into batches.
        """
        self._finalize(watermark)
        if self.is_duplicate(event.identity):
            return "duplicate"
        if event.time <= self.state.floor or self._would_be_final(event, watermark):
            return "late"
        event.context = self._context_index(context)
        pushed_out = insert(self.state.events, event, self.rules)
        if self._identities is not None:
            self._identities.add(event.identity)
        if pushed_out is not None:
            self._note_eviction(pushed_out, event.arrival)
        return "accepted"

    def settle(self, watermark: int) -> int | None:
        """Publish what changed, and forget what is final.

        Returns the watermark beyond which something will be due, or None when even the latest
        late event would be known as late without this state.
        """
        cuts = sessionize(self.state.events, self.rules)
        newest = self._newest_arrivals(cuts)
        named = {
            session_id(self.site_id, self.visitor_id, cut.first): (cut, arrival)
            for cut, arrival in zip(cuts, newest, strict=True)
        }
        self._publish_merged(named)
        for identifier, (cut, arrival) in named.items():
            self._publish(identifier, cut, self._status(cut, watermark), arrival)
        self._forget_final(named, watermark)
        return self._next_deadline(cuts, watermark)

    def _next_deadline(self, cuts: list[Cut], watermark: int) -> int | None:
        lateness = self.rules.lateness
        due = [
            cut.expires if watermark <= cut.expires else cut.expires + lateness
            for cut in cuts
            if not self._is_final(cut, watermark)
        ]
        if due:
            return min(due)
        forgotten = self.state.floor + self.rules.longest_gap + lateness
        return forgotten if watermark <= forgotten else None

    def _context_index(self, context: bytes) -> int:
        contexts = self.state.contexts
        try:
            return contexts.index(context)
        except ValueError:
            contexts.append(context)
            return len(contexts) - 1

    def _finalize(self, watermark: int) -> None:
        events = self.state.events
        # No session can be final before its first event is older than the lateness.
        if not events or watermark <= events[0].time + self.rules.lateness:
            return
        if self._is_final(sessionize(events, self.rules)[0], watermark):
            self.settle(watermark)

    def _would_be_final(self, event: Kept, watermark: int) -> bool:
        if watermark <= reach_of(event, self.rules) + self.rules.lateness:
            return False
        trial = [*self.state.events]
        insert(trial, event, self.rules)
        for cut in sessionize(trial, self.rules):
            if cut.first <= event <= cut.last:
                return self._is_final(cut, watermark)
        return False

    def _note_eviction(self, pushed_out: Kept, arrival: int) -> None:
        self.evicted += 1
        if self._identities is not None:
            self._identities.discard(pushed_out.identity)
        self.state.thinned[pushed_out.time // MINUTE_MS] = arrival

    def _publish_merged(self, named: dict[str, tuple[Cut, int]]) -> None:
        for identifier in [known for known in self.state.published if known not in named]:
            start = self.state.published.pop(identifier).start
            target, cut, arrival = _holder(named, start)
            self._change(identifier, _revision(arrival, "merged"), "merged", cut, target)

    def _publish(self, identifier: str, cut: Cut, status: SessionStatus, arrival: int) -> None:
        revision = _revision(arrival, status)
        known = self.state.published.get(identifier)
        if known is not None and known.revision >= revision:
            return
        self.state.published[identifier] = Published(revision, cut.first.time)
        self._change(identifier, revision, status, cut)

    def _change(
        self,
        identifier: str,
        revision: int,
        status: SessionStatus,
        cut: Cut,
        merged_into: str | None = None,
    ) -> None:
        # The context is looked up now: forgetting final sessions renumbers what is left.
        context = self.state.contexts[cut.first.context]
        self.changes.append(
            Change(identifier, revision, status, cut, context, self._is_thinned(cut), merged_into)
        )

    def _forget_final(self, named: dict[str, tuple[Cut, int]], watermark: int) -> None:
        state = self.state
        gone = 0
        for identifier, (cut, arrival) in named.items():
            if not self._is_final(cut, watermark):
                break
            state.published.pop(identifier, None)
            state.floor = max(state.floor, cut.expires)
            state.newest = arrival
            gone += len(cut.events)
        if gone:
            self._identities = None
            state.events = state.events[gone:]
            self._drop_unused()

    def _drop_unused(self) -> None:
        state = self.state
        first = state.events[0].time // MINUTE_MS if state.events else None
        state.thinned = {
            minute: arrival
            for minute, arrival in state.thinned.items()
            if first is not None and minute >= first
        }
        if not state.events:
            state.contexts = []
        elif len(state.contexts) > CONTEXTS_KEPT:
            self._renumber_contexts()

    def _renumber_contexts(self) -> None:
        used = sorted({event.context for event in self.state.events})
        place = {old: new for new, old in enumerate(used)}
        self.state.contexts = [self.state.contexts[old] for old in used]
        self.state.events = [
            msgspec.structs.replace(event, context=place[event.context])
            for event in self.state.events
        ]

    def _status(self, cut: Cut, watermark: int) -> SessionStatus:
        if self._is_final(cut, watermark):
            return "final"
        return "closed" if watermark > cut.expires else "open"

    def _is_final(self, cut: Cut, watermark: int) -> bool:
        return watermark > cut.expires + self.rules.lateness

    def _is_thinned(self, cut: Cut) -> bool:
        return any(self._touches(cut, minute) for minute in self.state.thinned)

    def _newest_arrivals(self, cuts: list[Cut]) -> list[int]:
        """For each session the newest arrival among it and all of the visitor's earlier events.

        A bound may end a session early because of any event before it, so one that arrives
        there can bring back a session that was merged; its revision must then be higher too.
        """
        newest, arrivals = self.state.newest, []
        for cut in cuts:
            newest = max(newest, *[event.arrival for event in cut.events])
            for minute, arrival in self.state.thinned.items():
                if minute <= cut.last.time // MINUTE_MS:
                    newest = max(newest, arrival)
            arrivals.append(newest)
        return arrivals

    @staticmethod
    def _touches(cut: Cut, minute: int) -> bool:
        return cut.first.time // MINUTE_MS <= minute <= cut.last.time // MINUTE_MS


def _revision(arrival: int, status: SessionStatus) -> int:
    """Grows with every event that joins, then with closed, final, merged.

    It comes from places in the partition, so it is the same however records are batched.
    """
    return arrival * 4 + RANKS[status]


def _holder(named: dict[str, tuple[Cut, int]], start: int) -> tuple[str, Cut, int]:
    """The session that holds what began at ``start``: the last one that begins no later."""
    chosen = next(iter(named))
    for identifier, (cut, _arrival) in named.items():
        if cut.first.time <= start:
            chosen = identifier
    return (chosen, *named[chosen])
