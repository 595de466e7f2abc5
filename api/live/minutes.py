"""Events a minute of the last hour. No I/O, no clock."""

from collections import Counter
from collections.abc import Iterable

from api.live.repeats import Repeats
from contracts import EnrichedEvent
from contracts.live import MinuteCount

MINUTE_MS = 60_000
MINUTES = 60
_REMEMBERED = 50_000


class Minutes:
    """Counts page and API requests by the minute of their event_time, each once."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, str]] = Counter()
        self._repeats = Repeats(_REMEMBERED)
        self._changed: set[int] = set()

    def start_from(self, counts: Iterable[MinuteCount]) -> None:
        """Begin with what the history has counted."""
        for count in counts:
            self._counts[count.minute, "page"] += count.pages
            self._counts[count.minute, "api"] += count.api_calls

    def see(self, event: EnrichedEvent, now: int) -> bool:
        """Count an event; False when it is too old, too new, or was counted before."""
        minute = event.event_time // MINUTE_MS * MINUTE_MS
        if not self._first(now) <= minute <= now or self._repeats.is_repeated(event):
            return False
        self._counts[minute, event.kind] += 1
        self._changed.add(minute)
        return True

    def counts(self, now: int) -> list[MinuteCount]:
        """The last 60 minutes, oldest first, quiet ones included."""
        first = self._first(now)
        for key in [key for key in self._counts if key[0] < first]:
            del self._counts[key]
        return [self._count(minute) for minute in range(first, now + 1, MINUTE_MS)]

    def changes(self, now: int) -> list[MinuteCount]:
        """Those of the last 60 minutes that changed since this was asked last, oldest first."""
        first, changed = self._first(now), sorted(self._changed)
        self._changed.clear()
        return [self._count(minute) for minute in changed if minute >= first]

    def _count(self, minute: int) -> MinuteCount:
        return MinuteCount(
            minute=minute,
            pages=self._counts[minute, "page"],
            api_calls=self._counts[minute, "api"],
        )

    @staticmethod
    def _first(now: int) -> int:
        return (now // MINUTE_MS - MINUTES + 1) * MINUTE_MS
