"""What a dashboard shows when it opens, and what has changed since the last frame. No I/O."""

from collections.abc import Iterable

from api.live.frames import MAX_SESSIONS, Frame, Told, newest, told
from api.live.here import Here
from api.live.minutes import Minutes
from contracts import EnrichedEvent, SessionUpdate
from contracts.live import LiveCounts, MinuteCount

_WAITING_LIMIT = 5 * MAX_SESSIONS


class Board:
    """The newest sessions, who is here, events a minute, and the changes that wait to be told.

    Its size is bounded by ``capacity``, by a limit on waiting changes (of which the oldest
    sessions are left out first; the history has them), and by how many visitors are here.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._newest: dict[str, Told] = {}
        self._waiting: dict[str, Told] = {}
        self._here = Here()
        self._minutes = Minutes()
        self._newest_response: int | None = None
        self._counts_changed = False

    def start_from(
        self, sessions: Iterable[SessionUpdate], minutes: Iterable[MinuteCount], now: int
    ) -> None:
        """Begin, or begin again, with what the history knows, without telling it as changes."""
        self._newest, self._waiting = {}, {}
        self._here, self._minutes = Here(), Minutes()
        for update in sessions:
            self._here.see(update, now)
            self._place(update, told(update))
        self._minutes.start_from(minutes)

    def tell_all(self) -> None:
        """Count all that is known as changed: a dashboard came before the beginning."""
        self._waiting = dict(self._newest)
        self._minutes.change_all()
        self._counts_changed = True

    def see_session(self, update: SessionUpdate, now: int) -> bool:
        """Take in a session's state; False when a newer one is known."""
        before = self._version_of(update.session_id)
        if before is not None and (update.epoch, update.revision) <= before:
            return False
        known = self._here.get(update.session_id)
        grew = known is None or update.events > known.events
        if self._here.see(update, now) and grew:
            self._newest_response = max(self._newest_response or 0, update.last_seen)
        state = told(update)
        self._place(update, state)
        self._wait(state)
        return True

    def see_event(self, event: EnrichedEvent, now: int) -> bool:
        """Count an event; False when it changes nothing."""
        counted = self._minutes.see(event, now)
        self._counts_changed |= counted
        return counted

    @property
    def has_changes(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self._waiting) or self._counts_changed

    def frame(self, now: int) -> Frame:
        """What waits to be told, the newest sessions first if it is too much for one frame."""
        sessions = self._waiting
        self._waiting = {}
        if len(sessions) > MAX_SESSIONS:
            first = {item.session_id: item for item in newest(sessions.values(), MAX_SESSIONS)}
            self._waiting = {key: item for key, item in sessions.items() if key not in first}
            sessions = first
        frame = Frame(sessions, self._news(now), self._newest_response, now)
        self._newest_response = None
        self._counts_changed = False
        return frame

    def sessions(self) -> list[Told]:
        """The newest sessions, newest first."""
        return newest(self._newest.values(), self._capacity)

    def counts(self, now: int) -> LiveCounts:
        """Who is here now, and the last hour's minutes."""
        return self._counts(now, self._minutes.counts(now))

    def _news(self, now: int) -> LiveCounts:
        """The same with only the minutes that changed: all of them are most of a frame."""
        return self._counts(now, self._minutes.changes(now))

    def _counts(self, now: int, minutes: list[MinuteCount]) -> LiveCounts:
        self._here.expire(now)
        return LiveCounts(
            open_sessions=self._here.people, open_bots=self._here.bots, minutes=minutes
        )

    def _version_of(self, session_id: str) -> tuple[int, int] | None:
        known = (
            self._here.get(session_id)
            or self._waiting.get(session_id)
            or self._newest.get(session_id)
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
        self._waiting[state.session_id] = state
        if len(self._waiting) > 2 * _WAITING_LIMIT:
            kept = newest(self._waiting.values(), _WAITING_LIMIT)
            self._waiting = {item.session_id: item for item in kept}
