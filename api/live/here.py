"""Who is here now: the open sessions that silence has not ended yet. No I/O, no clock."""

import heapq
from typing import NamedTuple

from api.live.filters import Facts, Filter
from contracts import SessionUpdate

_MOST_POOLED = 20_000
_COMMON = Facts._fields.index("visitor")


class Known(NamedTuple):
    """What is remembered of an open session; its facts without whose they are."""

    version: tuple[int, int]
    events: int
    facts: Facts
    expires: int


class Tally:
    """How many people and bots of one filter are here."""

    def __init__(self, wanted: Filter | None = None) -> None:
        self._wanted = wanted
        self.people = 0
        self.bots = 0

    def count(self, facts: Facts, step: int) -> None:
        """One has come (1) or gone (-1)."""
        if self._wanted is not None and not self._wanted.matches(facts):
            return
        if facts.is_bot:
            self.bots += step
        else:
            self.people += step


class Here:
    """Counts open sessions.

    A session whose ``expires`` has passed is not here, even before the job says that it closed:
    so neither a replay of old times nor a job that stands still fills the place with ghosts.
    """

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._deadlines: list[tuple[int, str]] = []
        self._pool: dict[Facts, Facts] = {}
        self.all = Tally()
        self._tallies = [self.all]

    def get(self, session_id: str) -> Known | None:
        """What is known of a session that is here."""
        return self._known.get(session_id)

    def watch(self, wanted: Filter) -> Tally:
        """Count those of a filter, from now until ``unwatch``."""
        tally = Tally(wanted)
        for known in self._known.values():
            tally.count(known.facts, 1)
        self._tallies.append(tally)
        return tally

    def unwatch(self, tally: Tally) -> None:
        """Nobody asks for these any more."""
        self._tallies.remove(tally)

    def clear(self) -> None:
        """Nobody is here. What is watched stays watched."""
        self._known, self._deadlines = {}, []
        for tally in self._tallies:
            tally.people = tally.bots = 0

    def see(self, update: SessionUpdate, facts: Facts, now: int) -> bool:
        """Take in a session's newest state; whether it is here."""
        known = self._known.pop(update.session_id, None)
        if known is not None:
            self._count(known, -1)
        if update.status != "open" or update.expires <= now:
            return False
        version = (update.epoch, update.revision)
        shared = self._shared(facts, known)
        seen = Known(version, update.events, shared, update.expires)
        self._known[update.session_id] = seen
        self._count(seen, 1)
        if known is None or seen.expires < known.expires:
            heapq.heappush(self._deadlines, (update.expires, update.session_id))
        return True

    def drop(self, session_id: str) -> None:
        """As if it had never been here."""
        known = self._known.pop(session_id, None)
        if known is not None:
            self._count(known, -1)

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

    def _shared(self, facts: Facts, known: Known | None) -> Facts:
        """One object for all who have these in common: there may be a million of them."""
        if known is not None and known.facts[:_COMMON] == facts[:_COMMON]:
            return known.facts
        common = facts._replace(visitor="", session=None)
        if len(self._pool) > _MOST_POOLED:
            self._pool.clear()
        return self._pool.setdefault(common, common)

    def _count(self, known: Known, step: int) -> None:
        for tally in self._tallies:
            tally.count(known.facts, step)
