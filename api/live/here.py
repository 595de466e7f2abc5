"""Who is here now: the open sessions that silence has not ended yet. No I/O, no clock."""

import heapq
from typing import NamedTuple

from contracts import SessionUpdate


class Known(NamedTuple):
    """What is remembered of an open session."""

    version: tuple[int, int]
    events: int
    is_bot: bool
    expires: int


class Here:
    """Counts open sessions.

    A session whose ``expires`` has passed is not here, even before the job says that it closed:
    so neither a replay of old times nor a job that stands still fills the place with ghosts.
    """

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._deadlines: list[tuple[int, str]] = []
        self.people = 0
        self.bots = 0

    def get(self, session_id: str) -> Known | None:
        """What is known of a session that is here."""
        return self._known.get(session_id)

    def see(self, update: SessionUpdate, now: int) -> bool:
        """Take in a session's newest state; whether it is here."""
        known = self._known.pop(update.session_id, None)
        if known is not None:
            self._count(known, -1)
        if update.status != "open" or update.expires <= now:
            return False
        version = (update.epoch, update.revision)
        seen = Known(version, update.events, update.agent.is_bot, update.expires)
        self._known[update.session_id] = seen
        self._count(seen, 1)
        if known is None or seen.expires < known.expires:
            heapq.heappush(self._deadlines, (update.expires, update.session_id))
        return True

    def expire(self, now: int) -> None:
        """Forget those whose time is over. One deadline a session waits, however often it moved."""
        while self._deadlines and self._deadlines[0][0] <= now:
            _, session_id = heapq.heappop(self._deadlines)
            known = self._known.get(session_id)
            if known is None:
                continue
            if known.expires > now:
                heapq.heappush(self._deadlines, (known.expires, session_id))
                continue
            del self._known[session_id]
            self._count(known, -1)

    def _count(self, known: Known, step: int) -> None:
        if known.is_bot:
            self.bots += step
        else:
            self.people += step
