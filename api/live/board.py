"""What a dashboard shows when it opens, and what has changed since the last frame. No I/O."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from api.live.filters import Filter
from api.live.frames import MAX_SESSIONS, Frame, Told, ToldEvent, latest, newest, told
from api.live.here import Here, Tally
from api.live.log import EventLog, SessionLog
from api.live.minutes import Counts, Minutes, Recent
from api.live.position import Mark, Offsets
from api.live.repeats import Repeats
from contracts import EnrichedEvent, Message, SessionUpdate
from contracts.live import LiveCounts, MinuteCount

_WAITING_LIMIT = 5 * MAX_SESSIONS
_WAITING_EVENTS = 5_000
_REMEMBERED_EVENTS = 20_000
_SESSION = msgspec.json.Decoder(SessionUpdate)


class Board:
    """The newest sessions, who is here, events a minute, and the changes that wait to be told.

    Its size is bounded by ``capacity``, by a limit on waiting changes (of which the oldest
    sessions are left out first; the history has them), by the logs, and by how many visitors
    are here.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._newest: dict[str, Told] = {}
        self._waiting: dict[str, Told] = {}
        self._fresh: list[ToldEvent] = []
        self._here = Here()
        self._minutes = Minutes()
        self._recent = Recent()
        self._repeats = Repeats(_REMEMBERED_EVENTS)
        self._counts_changed = False
        self.sessions_log = SessionLog()
        self.events_log = EventLog()

    def start_from(
        self,
        sessions: Iterable[SessionUpdate],
        minutes: Iterable[MinuteCount],
        now: int,
        events: Sequence[EnrichedEvent] = (),
    ) -> None:
        """Begin, or begin again, with what the history knows, without telling it as changes."""
        self._newest, self._waiting, self._fresh = {}, {}, []
        self._here.clear()
        self._minutes = Minutes()
        self._recent.begin(events, now)
        for update in sessions:
            state = told(update)
            self._here.see(update, state.facts, now)
            self._place(update, state)
        self._minutes.start_from(minutes)

    def begin_logs(self, offsets: Offsets) -> None:
        """What is told from now on was read from these offsets on."""
        self.sessions_log.begin(offsets)
        self.events_log.begin(offsets)

    def erase(
        self, which: Callable[[Message], bool], sessions: Collection[str], offsets: Offsets
    ) -> None:
        """Forget what these messages told, and these sessions; ``offsets`` is what was read."""

        def is_gone(state: Told) -> bool:
            return state.session_id in sessions or which(_SESSION.decode(state.json))

        gone = {one.session_id for one in self._all_told() if is_gone(one)}
        for session_id in {*gone, *sessions}:
            self._newest.pop(session_id, None)
            self._waiting.pop(session_id, None)
            self._here.drop(session_id)
        self._fresh = [event for event in self._fresh if not event.is_one(which)]
        self.sessions_log.erase(lambda state: state.session_id in gone, offsets)
        self.events_log.erase(lambda event: event.is_one(which), offsets)

    def _all_told(self) -> Iterator[Told]:
        yield from self._newest.values()
        yield from self._waiting.values()
        yield from self.sessions_log.all()

    def see_session(self, update: SessionUpdate, now: int, mark: Mark | None = None) -> bool:
        """Take in a session's state; False when a newer one is known."""
        before = self._version_of(update.session_id)
        if before is not None and (update.epoch, update.revision) <= before:
            return False
        state = self._state(update, mark, now)
        self._place(update, state)
        self._wait(state)
        if mark is not None:
            self.sessions_log.add(state)
        return True

    def _state(self, update: SessionUpdate, mark: Mark | None, now: int) -> Told:
        state = told(update, mark)
        known = self._here.get(update.session_id)
        grew = known is None or update.events > known.events
        if self._here.see(update, state.facts, now) and grew:
            state = state._replace(response=update.last_seen)
        earlier = self.sessions_log.get(update.session_id) or self._newest.get(update.session_id)
        return state if earlier is None else state.follows(earlier)

    def see_event(self, event: EnrichedEvent, now: int, mark: Mark | None = None) -> bool:
        """Take in an event; False when it changes no count."""
        if not self._repeats.is_repeated(event):
            self._fresh.append(ToldEvent(event, mark))
            if len(self._fresh) > 2 * _WAITING_EVENTS:
                del self._fresh[:-_WAITING_EVENTS]
        counted = self._minutes.see(event, now)
        if counted:
            self._recent.see(event, now)
        self._counts_changed |= counted
        return counted

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self._waiting or self._fresh) or self._counts_changed

    @property
    def has_sessions_waiting(self) -> bool:
        """Whether some did not fit into the last frame."""
        return bool(self._waiting)

    def frame(self, now: int) -> Frame:
        """What waits to be told, the newest sessions first if it is too much for one frame."""
        sessions = self._waiting
        self._waiting = {}
        if len(sessions) > MAX_SESSIONS:
            first = {item.session_id: item for item in newest(sessions.values(), MAX_SESSIONS)}
            self._waiting = {key: item for key, item in sessions.items() if key not in first}
            sessions = first
        is_counted = bool(sessions) or self._counts_changed
        frame = Frame(sessions, self._news(now), None, now, events=self._fresh)
        frame.has_news = is_counted
        for event in self._fresh:
            self.events_log.add(event)
        self._fresh = []
        self._counts_changed = False
        return frame

    def sessions(self, wanted: Filter | None = None) -> list[Told]:
        """The newest sessions, newest first; of a filter also those that only changed lately."""
        if wanted is None:
            return newest(self._newest.values(), self._capacity)
        known = {state.session_id: state for state in self.sessions_log.all()} | self._newest
        alive = (state for state in known.values() if not state.is_merged)
        found = (state for state in alive if wanted.matches(state.facts))
        return newest(found, self._capacity)

    def counts(self, now: int) -> LiveCounts:
        """Who is here now, and the last hour's minutes."""
        return self._counts(now, self._minutes.counts(now))

    def watch(self, wanted: Filter) -> Tally:
        """Count who is here of a filter."""
        return self._here.watch(wanted)

    def unwatch(self, tally: Tally) -> None:
        """Nobody asks for these any more."""
        self._here.unwatch(tally)

    def watch_minutes(self, wanted: Filter) -> Counts:
        """Count a filter's requests by minute."""
        return self._recent.watch(wanted)

    def unwatch_minutes(self, counts: Counts) -> None:
        """Nobody asks for these any more."""
        self._recent.unwatch(counts)

    @property
    def minutes_since(self) -> int:
        """From when on the requests of a filter are known, if that is in the last hour."""
        return self._recent.since

    def _news(self, now: int) -> LiveCounts:
        """The same with only the minutes that changed: all of them are most of a frame."""
        return self._counts(now, self._minutes.changes(now))

    def _counts(self, now: int, minutes: list[MinuteCount]) -> LiveCounts:
        self._here.expire(now)
        return LiveCounts(
            open_sessions=self._here.all.people, open_bots=self._here.all.bots, minutes=minutes
        )

    def _version_of(self, session_id: str) -> tuple[int, int] | None:
        known = (
            self._here.get(session_id)
            or self._waiting.get(session_id)
            or self._newest.get(session_id)
            or self.sessions_log.get(session_id)
        )
        return known.version if known else None

    def _place(self, update: SessionUpdate, state: Told) -> None:
        if update.status == "merged":
            self._newest.pop(update.session_id, None)
            return
        self._newest[update.session_id] = state
        # Tidied at twice the size: a search for the newest once every ``capacity`` newcomers.
        if len(self._newest) > 2 * self._capacity:
            self._newest = {item.session_id: item for item in self.sessions()}

    def _wait(self, state: Told) -> None:
        waiting = self._waiting.get(state.session_id)
        if waiting is not None:
            response = latest(waiting.response, state.response)
            state = state.follows(waiting)._replace(response=response)
        self._waiting[state.session_id] = state
        if len(self._waiting) > 2 * _WAITING_LIMIT:
            kept = newest(self._waiting.values(), _WAITING_LIMIT)
            self._waiting = {item.session_id: item for item in kept}
