"""One visitor's state between batches, and what changes in it are worth publishing.

Pure: time comes in as the bucket's watermark, and updates go out as values.
"""

from collections.abc import Iterable
from itertools import takewhile
from typing import Literal

import msgspec

from contracts import WATERMARK_START, SessionStatus
from spark_jobs.rules import MINUTE_MS, Rules
from spark_jobs.sessions import (
    Cut,
    Kept,
    crowded,
    each_session,
    insert,
    minute_of,
    reach_of,
    sessionize,
)
from spark_jobs.told import (
    Change,
    Named,
    Owner,
    holder_of,
    named_sessions,
    names_at_stake,
    revision_of,
)

Outcome = Literal["accepted", "duplicate", "late"]

SCANNED_IDENTITIES = 32
"""Up to this many events a linear search for a duplicate is cheaper than building a set."""
CONTEXTS_KEPT = 16
LOOKED_THROUGH = 200_000
"""How many events of a visitor are looked through in a batch for names that bounds may take."""
PERHAPS = -1
"""The revision of a session of which an earlier run may have told; lower than any."""


class Published(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What consumers were last told of a session that is not yet final."""

    revision: int
    start: int


class VisitorState(msgspec.Struct, array_like=True):
    """What is stored. ``events`` are sorted; ``contexts`` are msgpack, shared by events.

    Events at or before ``floor`` belong to sessions that are final. ``thinned`` tells for
    each clock minute in which the per-minute bound cut events the newest arrival it cut.
    ``newest`` is the newest arrival among all that was forgotten, ``spent`` its last clock
    minute and how many events of that minute it had. ``names`` are the ids that the visitor went
    by besides the one that it is kept under.
    """

    events: list[Kept] = []
    contexts: list[bytes] = []
    published: dict[str, Published] = {}
    floor: int = WATERMARK_START
    thinned: dict[int, int] = {}
    newest: int = 0
    spent: tuple[int, int] = (0, 0)
    names: list[str] = []


class Visitor:
    """A visitor while its bucket is being worked on.

    Of sessions with events that arrived before ``retold``, an earlier run may have told between
    any two of them, under a first event that is none when the batch ends. Their names are noted
    as published, so that they are told to be merged.
    """

    def __init__(self, owner: Owner, state: VisitorState, rules: Rules, retold: int = 0) -> None:
        self.owner = owner
        self.state = state
        self.rules = rules
        self.retold = retold
        self.changes: list[Change] = []
        self.evicted = 0
        self._identities: set[bytes] | None = None
        self._places: dict[bytes, int] | None = None
        # What the first session's ``expires`` is at least; None when it must be found anew.
        self._expires: int | None = None
        self._looked_through = 0

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
        if self._is_past(event) or self._would_be_final(event, watermark):
            return "late"
        event.context = self._context_index(context)
        pushed_out = self._insert(event)
        self._note_expiry(event, pushed_out)
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
        named = named_sessions(self.owner, cuts, self.state.newest, self.state.thinned)
        self._publish_merged(named)
        for identifier, session in named.items():
            self._publish(identifier, session, self._status(session.cut, watermark))
        self._forget_final(named, watermark)
        return self._next_deadline(cuts, watermark)

    def is_forgotten(self, watermark: int) -> bool:
        """Whether ``settle`` would find nothing worth keeping."""
        self._finalize(watermark)
        return not self.state.events and watermark > self._forgotten()

    def thin(self, arrival: int) -> None:
        """Push out what is beyond the per-minute bound, because of what came at ``arrival``."""
        for event in crowded(self.state.events, self.rules.max_per_minute):
            self.state.events.remove(event)
            self._note_eviction(event, arrival)

    def _insert(self, event: Kept) -> Kept | None:
        """Insert it; what the per-minute bound pushes out. An event in order takes no name."""
        events, rules = self.state.events, self.rules
        if event.arrival >= self.retold or not events or event > events[-1]:
            return insert(events, event, rules, self.state.spent)
        self._note_names_of_bounds()
        pushed_out = insert(events, event, rules, self.state.spent)
        self._note_names(names_at_stake(events, event, pushed_out, rules))
        return pushed_out

    def _note_names_of_bounds(self) -> None:
        """An event out of order moves all later cuts of its visitor that a bound made."""
        events, rules = self.state.events, self.rules
        length = events[-1].time - events[0].time
        is_bounded = len(events) >= rules.max_events or length >= rules.max_length
        if is_bounded and self._looked_through < LOOKED_THROUGH:
            self._looked_through += len(events)
            self._note_names(cut.first for cut in each_session(events, rules))

    def _note_names(self, firsts: Iterable[Kept]) -> None:
        for first in firsts:
            name = self.owner.session_of(first)
            self.state.published.setdefault(name, Published(PERHAPS, first.time))

    def _next_deadline(self, cuts: list[Cut], watermark: int) -> int | None:
        lateness = self.rules.lateness
        due = [
            cut.expires if watermark <= cut.expires else cut.expires + lateness
            for cut in cuts
            if not self._is_final(cut, watermark)
        ]
        if due:
            return min(due)
        forgotten = self._forgotten()
        return forgotten if watermark <= forgotten else None

    def _forgotten(self) -> int:
        minute, count = self.state.spent
        past = max(self.state.floor, (minute + 1) * MINUTE_MS if count else WATERMARK_START)
        return past + self.rules.longest_gap + self.rules.lateness

    def _context_index(self, context: bytes) -> int:
        contexts = self.state.contexts
        if self._places is None:
            self._places = {known: place for place, known in enumerate(contexts)}
        place = self._places.setdefault(context, len(contexts))
        if place == len(contexts):
            contexts.append(context)
        return place

    def _finalize(self, watermark: int) -> None:
        events, lateness = self.state.events, self.rules.lateness
        # No session can be final before its first event is older than the lateness.
        if not events or watermark <= events[0].time + lateness:
            return
        if self._expires is None or watermark > self._expires + lateness:
            self._expires = next(each_session(events, self.rules)).expires
        if watermark > self._expires + lateness:
            self.settle(watermark)

    def _note_expiry(self, event: Kept, pushed_out: Kept | None) -> None:
        """An event that joins the first session lets it reach farther, unless a bound moves."""
        if pushed_out is event or self._expires is None or event.time > self._expires:
            return
        events, rules = self.state.events, self.rules
        if pushed_out is not None or events[0] is event or len(events) >= rules.max_events:
            self._expires = None
            return
        longest = events[0].time + rules.max_length - 1
        self._expires = max(self._expires, min(reach_of(event, rules), longest))

    def _is_past(self, event: Kept) -> bool:
        """Whether the event's place, or its minute's last place, is in a final session."""
        minute, count = self.state.spent
        is_spent = count >= self.rules.max_per_minute and minute_of(event) == minute
        return is_spent or event.time <= self.state.floor

    def _would_be_final(self, event: Kept, watermark: int) -> bool:
        if watermark <= reach_of(event, self.rules) + self.rules.lateness:
            return False
        # Alone it would be final. It must not begin an older session either: whether that is
        # final could not be told once the visitor's final sessions are forgotten.
        cuts = sessionize(self.state.events, self.rules)
        if not any(cut.first.time <= event.time <= cut.expires for cut in cuts):
            return True
        trial = [*self.state.events]
        insert(trial, event, self.rules, self.state.spent)
        for cut in sessionize(trial, self.rules):
            if cut.first <= event <= cut.last:
                return self._is_final(cut, watermark)
        return False

    def _note_eviction(self, pushed_out: Kept, arrival: int) -> None:
        self.evicted += 1
        if self._identities is not None:
            self._identities.discard(pushed_out.identity)
        self.state.thinned[minute_of(pushed_out)] = arrival
        if len(self.state.contexts) > CONTEXTS_KEPT + 2 * len(self.state.events):
            self._renumber_contexts()

    def _publish_merged(self, named: dict[str, Named]) -> None:
        for identifier in [known for known in self.state.published if known not in named]:
            target = holder_of(named, self.state.published.pop(identifier).start)
            self._change(identifier, "merged", named[target], target)

    def _publish(self, identifier: str, session: Named, status: SessionStatus) -> None:
        revision = revision_of(session.arrival, status)
        known = self.state.published.get(identifier)
        if known is not None and known.revision >= revision:
            return
        self.state.published[identifier] = Published(revision, session.cut.first.time)
        self._change(identifier, status, session)

    def _change(
        self, identifier: str, status: SessionStatus, session: Named, target: str | None = None
    ) -> None:
        # The context is looked up now: forgetting final sessions renumbers what is left.
        context = self.state.contexts[session.cut.first.context]
        revision = revision_of(session.arrival, status)
        self.changes.append(
            Change(identifier, revision, status, session.cut, context, session.is_thinned, target)
        )

    def _forget_final(self, named: dict[str, Named], watermark: int) -> None:
        state = self.state
        gone = 0
        for identifier, session in named.items():
            if not self._is_final(session.cut, watermark):
                break
            state.published.pop(identifier, None)
            state.floor = max(state.floor, session.cut.expires)
            state.newest = session.arrival
            gone += len(session.cut.events)
        if gone:
            self._identities = self._expires = None
            state.spent = _spent(state.events[:gone], state.spent)
            state.events = state.events[gone:]
            self._drop_unused()

    def _drop_unused(self) -> None:
        state = self.state
        first = minute_of(state.events[0]) if state.events else None
        state.thinned = {
            minute: arrival
            for minute, arrival in state.thinned.items()
            if first is not None and minute >= first
        }
        if not state.events:
            state.contexts, self._places = [], None
        elif len(state.contexts) > CONTEXTS_KEPT:
            self._renumber_contexts()

    def _renumber_contexts(self) -> None:
        used = sorted({event.context for event in self.state.events})
        place = {old: new for new, old in enumerate(used)}
        self._places = None
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


def _spent(gone: list[Kept], before: tuple[int, int]) -> tuple[int, int]:
    """The last clock minute of what is forgotten, and how many events of it are."""
    minute = minute_of(gone[-1])
    count = sum(1 for _ in takewhile(lambda event: minute_of(event) == minute, reversed(gone)))
    return minute, count + (before[1] if before[0] == minute else 0)
