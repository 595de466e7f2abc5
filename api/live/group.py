"""Dashboards that want the same: everything is encoded once for all of them. No I/O, no clock."""

from typing import TYPE_CHECKING

from api.live.board import Board
from api.live.filters import Filter, digest
from api.live.frames import MAX_EVENTS, Frame, Told, ToldEvent, Whole, latest
from api.live.here import Tally
from api.live.position import Offsets, Stream, is_behind, offsets_of, token
from contracts.live import LiveCounts, MinuteCount, Subscription

if TYPE_CHECKING:
    from api.live.mailbox import Mailbox

_FIRST_EVENTS = 50
_RECOVERED_SESSIONS = 5_000
_FRESH_MS = 1_000


class Group:
    """One canonical subscription, who has it, and what they are told."""

    def __init__(self, wanted: Subscription, board: Board) -> None:
        self.wanted = wanted
        self.mailboxes: set[Mailbox] = set()
        self.position: str | None = None
        self._name = digest(wanted)
        self._board = board
        self._stream: Stream | None = None
        self._reached: Offsets = {}
        self._filter = Filter(wanted)
        self._is_all = self._filter.is_open
        # Who is here is counted without whose sessions they are.
        self._is_counted = self._has("stats") and not (wanted.session or wanted.visitor)
        is_tallied = self._is_counted and not self._is_all
        self._tally = board.watch(self._filter) if is_tallied else None
        self._minutes = board.watch_minutes(self._filter) if is_tallied else None
        self._told: tuple[int, int] | None = None
        self._snapshot: tuple[int, bytes] | None = None
        self._recovered: dict[str, bytes] = {}

    def close(self) -> None:
        """Nobody has this subscription any more."""
        if self._tally is not None:
            self._board.unwatch(self._tally)
        if self._minutes is not None:
            self._board.unwatch_minutes(self._minutes)

    def move(self, stream: Stream, reached: Offsets) -> None:
        """All that stands before these offsets was told."""
        self._stream, self._reached = stream, reached
        self.position = token(stream, self._name, reached)
        self.forget()

    def forget(self) -> None:
        """The board has changed: what was encoded of it is old."""
        self._snapshot = None
        self._recovered = {}

    def offer(self, frame: Frame) -> None:
        """Hand out what of a frame these dashboards want."""
        mine = self._part(frame)
        if mine is None:
            return
        mine.position = self.position
        for mailbox in self.mailboxes:
            mailbox.offer(mine)

    def snapshot(self, now: int) -> bytes:
        """The message to begin with. The same bytes for all who come before the next change."""
        if self._snapshot is None or not 0 <= now - self._snapshot[0] < _FRESH_MS:
            self._snapshot = (now, self._whole(now).snapshot())
        return self._snapshot[1]

    def recovered(self, position: str, now: int) -> bytes | None:
        """Exactly what was told after a position; None when that is not known."""
        known = self._recovered.get(position)
        if known is None:
            missed = self._missed(position, now)
            if missed is None:
                return None
            known = self._recovered[position] = missed.recovered()
        return known

    def is_ahead(self, position: str) -> bool:
        """Whether a position is of this stream, and further than this process has come."""
        offsets = self._offsets(position)
        return offsets is not None and is_behind(self._reached, offsets)

    def _offsets(self, position: str) -> Offsets | None:
        if self._stream is None:
            return None
        return offsets_of(position, self._stream, self._name)

    def _missed(self, position: str, now: int) -> Whole | None:
        offsets = self._offsets(position)
        if offsets is None or is_behind(self._reached, offsets):
            return None
        sessions = self._board.sessions_log.since(offsets) if self._has("sessions") else []
        events = self._board.events_log.since(offsets) if self._has("events") else []
        if sessions is None or events is None:
            return None
        mine, news = [one for one in sessions if self._wants(one)], self._events(events)
        if len(mine) > _RECOVERED_SESSIONS or len(news) > MAX_EVENTS:
            return None
        return Whole(mine, self._counts(now), news, now, self.position)

    def _whole(self, now: int) -> Whole:
        wanted = None if self._is_all else self._filter
        sessions = self._board.sessions(wanted) if self._has("sessions") else []
        newest = self._board.events_log.newest_first(MAX_EVENTS) if self._has("events") else []
        events = self._events(newest)[:_FIRST_EVENTS]
        return Whole(sessions, self._counts(now), events[::-1], now, self.position)

    def _part(self, frame: Frame) -> Frame | None:
        sessions = self._sessions(frame) if self._has("sessions") else {}
        events = self._events(frame.events) if self._has("events") else []
        counts, is_news = self._news(frame)
        if not (sessions or events or is_news):
            return None
        response = latest(*(state.response for state in sessions.values()))
        return Frame(sessions, counts, response, frame.server_time, events=events)

    def _sessions(self, frame: Frame) -> dict[str, Told]:
        if self._is_all:
            return frame.sessions
        return {key: state for key, state in frame.sessions.items() if self._wants(state)}

    def _events(self, events: list[ToldEvent]) -> list[ToldEvent]:
        return [one for one in events if self._filter.matches(one.facts)]

    def _news(self, frame: Frame) -> tuple[LiveCounts | None, bool]:
        """The counts of a frame, and whether they are worth a message of their own."""
        if not self._is_counted:
            return None, False
        if self._tally is None or self._minutes is None:
            return frame.counts, frame.has_news
        minutes = self._minutes.changes(frame.server_time, self._board.minutes_since)
        told, self._told = self._told, (self._tally.people, self._tally.bots)
        return _tallied(self._tally, minutes), bool(minutes) or told != self._told

    def _counts(self, now: int) -> LiveCounts | None:
        if not self._is_counted:
            return None
        counts = self._board.counts(now)
        if self._tally is None or self._minutes is None:
            return counts
        return _tallied(self._tally, self._minutes.counts(now, self._board.minutes_since))

    def _wants(self, state: Told) -> bool:
        if self._is_all or self._filter.matches(state.facts):
            return True
        return any(self._filter.matches(facts) for facts in state.before)

    def _has(self, topic: str) -> bool:
        return topic in self.wanted.topics


def _tallied(tally: Tally, minutes: list[MinuteCount]) -> LiveCounts:
    return LiveCounts(open_sessions=tally.people, open_bots=tally.bots, minutes=minutes)
