"""What one message to a dashboard holds, and its bytes. No I/O, no clock."""

import heapq
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from api.live.filters import Facts, event_facts, session_facts
from api.live.position import Mark
from contracts import EnrichedEvent, Message, SessionUpdate
from contracts.live import LiveCounts, Recovered, Snapshot, Update

MAX_SESSIONS = 1_000
"""Sessions in a frame. Beyond them the newest by start go first, the rest with the next frame."""

MAX_EVENTS = 500
"""Events in a frame. The oldest beyond them are left out, and counted."""

_MOST_FACTS = 16


class Told(NamedTuple):
    """A session's state as dashboards are told it: encoded once, for all of them.

    ``before`` are the other facts that it had lately: who was told of it then must hear of this.
    ``response`` is when its newest response ended, if it grew since the last frame.
    """

    start: int
    session_id: str
    version: tuple[int, int]
    json: msgspec.Raw
    facts: Facts
    before: tuple[Facts, ...] = ()
    mark: Mark | None = None
    response: int | None = None
    is_merged: bool = False

    def follows(self, earlier: "Told") -> "Told":
        """This state, as it is told to those who may know the earlier one."""
        if earlier.facts == self.facts and not earlier.before:
            return self
        before = dict.fromkeys((*earlier.before, earlier.facts))
        before.pop(self.facts, None)
        return self._replace(before=tuple(before)[-_MOST_FACTS:])


class ToldEvent:
    """An event as dashboards are told it: encoded for all of them, once somebody wants it."""

    def __init__(self, event: EnrichedEvent, mark: Mark | None = None) -> None:
        self._event = event
        self.mark = mark

    def is_one(self, which: Callable[[Message], bool]) -> bool:
        """Whether the event is one of those."""
        return which(self._event)

    @cached_property
    def json(self) -> msgspec.Raw:
        """The event, encoded."""
        return msgspec.Raw(msgspec.json.encode(self._event))

    @cached_property
    def facts(self) -> Facts:
        """What filters may ask of it."""
        return event_facts(self._event)


def told(update: SessionUpdate, mark: Mark | None = None) -> Told:
    """The state, encoded."""
    version = (update.epoch, update.revision)
    json = msgspec.Raw(msgspec.json.encode(update))
    facts = session_facts(update)
    return Told(
        update.start,
        update.session_id,
        version,
        json,
        facts,
        mark=mark,
        is_merged=update.status == "merged",
    )


def newest(sessions: Iterable[Told], limit: int) -> list[Told]:
    """Those that started last, newest first."""
    return heapq.nlargest(limit, sessions, key=lambda item: item[:2])


class Frame:
    """Changes since the frame before. Shared by all dashboards that keep up.

    ``has_news`` says whether sessions or counts changed: without, there may be events only.
    ``fits`` says whether one message may hold it all.
    """

    def __init__(
        self,
        sessions: dict[str, Told],
        counts: LiveCounts | None,
        newest_response: int | None,
        server_time: int,
        *,
        events: list[ToldEvent] | None = None,
        position: str | None = None,
    ) -> None:
        self.sessions = sessions
        self.counts = counts
        self.newest_response = newest_response
        self.server_time = server_time
        self.events = events or []
        self.position = position
        self.has_news = True
        self.fits = len(sessions) <= MAX_SESSIONS and len(self.events) <= 2 * MAX_EVENTS

    def followed_by(self, later: "Frame") -> "Frame":
        """Both as one, for a dashboard that was too slow for the first: the latest state wins."""
        return Frame(
            {**self.sessions, **later.sessions},
            _joined(self.counts, later.counts),
            latest(self.newest_response, later.newest_response),
            later.server_time,
            events=self.events + later.events,
            position=later.position,
        )

    def message(self, sequence: int) -> bytes:
        """The Update as one connection gets it: only the sequence is its own."""
        return b'{"type":"update","sequence":%d,%b' % (sequence, self._rest)

    @cached_property
    def _rest(self) -> bytes:
        update = Update(
            sequence=0,
            position=self.position,
            server_time=self.server_time,
            sessions=raw(self.sessions.values()),
            counts=self.counts,
            newest_response=self.newest_response,
            events=raw(self.events[-MAX_EVENTS:]),
            events_left_out=max(0, len(self.events) - MAX_EVENTS),
        )
        return msgspec.json.encode(update).removeprefix(b'{"type":"update","sequence":0,')


def latest(*times: int | None) -> int | None:
    """The latest of those that there are."""
    return max((time for time in times if time is not None), default=None)


def raw(entries: Iterable[Told | ToldEvent]) -> Any:
    """Their bytes, to stand in a message where the contract has the decoded form."""
    return [entry.json for entry in entries]


def _joined(before: LiveCounts | None, later: LiveCounts | None) -> LiveCounts | None:
    if before is None or later is None:
        return later or before
    minutes = {one.minute: one for one in (*before.minutes, *later.minutes)}
    newest_last = [minutes[minute] for minute in sorted(minutes)]
    return msgspec.structs.replace(later, minutes=newest_last)


class Whole(NamedTuple):
    """All that a dashboard needs to begin, or to go on after it was away."""

    sessions: list[Told]
    counts: LiveCounts | None
    events: list[ToldEvent]
    server_time: int
    position: str | None

    def snapshot(self) -> bytes:
        """As the Snapshot that begins a connection, or begins it again."""
        return self._encoded(Snapshot)

    def recovered(self) -> bytes:
        """As what was missed."""
        return self._encoded(Recovered)

    def _encoded(self, kind: type[Snapshot] | type[Recovered]) -> bytes:
        return msgspec.json.encode(
            kind(
                sequence=1,
                position=self.position,
                server_time=self.server_time,
                sessions=raw(self.sessions),
                counts=self.counts,
                events=raw(self.events),
            )
        )


_FIRST = b'"sequence":1,'


def numbered(message: bytes, sequence: int) -> bytes:
    """An encoded Whole under another number than the first."""
    if sequence == 1:
        return message
    return message.replace(_FIRST, b'"sequence":%d,' % sequence, 1)
