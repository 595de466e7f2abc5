"""Events a minute of the last hour: of everybody, and of filters. No I/O, no clock."""

from collections import Counter
from collections.abc import Iterable, Sequence

from api.live.filters import Facts, Filter, event_facts
from api.live.repeats import Repeats
from contracts import EnrichedEvent
from contracts.live import LONGEST_PATH, MinuteCount

MINUTE_MS = 60_000
MINUTES = 60
_REMEMBERED = 50_000

MOST_KINDS = 20_000
"""Events that differ in what a filter may ask or in their minute: a new filter looks at each."""


class Counts:
    """Page and API requests by minute, and which minutes changed."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, str]] = Counter()
        self._changed: set[int] = set()

    def clear(self) -> None:
        """Begin again."""
        self._counts.clear()
        self._changed.clear()

    def start_from(self, counts: Iterable[MinuteCount]) -> None:
        """Begin with what the history has counted."""
        for count in counts:
            self._counts[count.minute, "page"] += count.pages
            self._counts[count.minute, "api"] += count.api_calls

    def add(self, minute: int, kind: str, number: int = 1) -> None:
        """So many more in this minute."""
        self._counts[minute, kind] += number
        self._changed.add(minute)

    def counts(self, now: int, since: int = 0) -> list[MinuteCount]:
        """The last 60 minutes, oldest first, quiet ones included; none before ``since``."""
        first = first_minute(now)
        for key in [key for key in self._counts if key[0] < first]:
            del self._counts[key]
        return [self._count(minute) for minute in range(max(first, since), now + 1, MINUTE_MS)]

    def changes(self, now: int, since: int = 0) -> list[MinuteCount]:
        """Those of the last 60 minutes that changed since this was asked last, oldest first."""
        first, changed = max(first_minute(now), since), sorted(self._changed)
        self._changed.clear()
        return [self._count(minute) for minute in changed if minute >= first]

    def _count(self, minute: int) -> MinuteCount:
        return MinuteCount(
            minute=minute,
            pages=self._counts[minute, "page"],
            api_calls=self._counts[minute, "api"],
        )


class Minutes(Counts):
    """Counts the requests of everybody by the minute of their event_time, each once."""

    def __init__(self) -> None:
        super().__init__()
        self._repeats = Repeats(_REMEMBERED)

    def see(self, event: EnrichedEvent, now: int) -> bool:
        """Count an event; False when it is too old, too new, or was counted before."""
        minute = minute_of(event)
        if not first_minute(now) <= minute <= now or self._repeats.is_repeated(event):
            return False
        self.add(minute, event.kind)
        return True


class Recent:
    """The last hour's events as far as filters ask of them, to count those of any filter.

    Equal ones of a minute are one entry. When there are too many entries the oldest minute is
    forgotten; ``since`` is from when on all are known, and whole minutes.
    """

    def __init__(self, most: int = MOST_KINDS) -> None:
        self._most = most
        self._size = 0
        self._entries: dict[int, Counter[tuple[str, Facts]]] = {}
        self._watched: list[tuple[Filter, Counts]] = []
        self.since = 0

    def begin(self, events: Sequence[EnrichedEvent], now: int) -> None:
        """Begin with the newest events of the last hour; all of them, if they are fewer than most.

        Without any, the last hour is about to be read whole.
        """
        self._entries, self._size, self.since = {}, 0, 0
        for _, counts in self._watched:
            counts.clear()
        if len(events) >= self._most:
            self.since = min(minute_of(event) for event in events) + MINUTE_MS
        for event in events:
            if first_minute(now) <= minute_of(event) <= now:
                self.see(event, now)

    def see(self, event: EnrichedEvent, now: int) -> None:
        """Take in an event that is counted."""
        minute, facts = minute_of(event), event_facts(event)
        entries = self._entries.setdefault(minute, Counter())
        # No filter asks for more of a path.
        key = event.kind, facts._replace(visitor="", path=facts.path[:LONGEST_PATH])
        self._size += key not in entries
        entries[key] += 1
        for wanted, counts in self._watched:
            if wanted.matches(facts):
                counts.add(minute, event.kind)
        self._forget(now)

    def watch(self, wanted: Filter) -> Counts:
        """Count those of a filter, from now until ``unwatch``."""
        counts = Counts()
        for minute, entries in self._entries.items():
            for (kind, facts), number in entries.items():
                if wanted.matches(facts):
                    counts.add(minute, kind, number)
        self._watched.append((wanted, counts))
        return counts

    def unwatch(self, counts: Counts) -> None:
        """Nobody asks for these any more."""
        self._watched = [one for one in self._watched if one[1] is not counts]

    def _forget(self, now: int) -> None:
        first = first_minute(now)
        while self._entries and (self._size > self._most or min(self._entries) < first):
            oldest = min(self._entries)
            self._size -= len(self._entries.pop(oldest))
            self.since = max(self.since, oldest + MINUTE_MS)


def minute_of(event: EnrichedEvent) -> int:
    """When the minute of an event begins."""
    return event.event_time // MINUTE_MS * MINUTE_MS


def first_minute(now: int) -> int:
    """When the first of the last 60 minutes begins."""
    return (now // MINUTE_MS - MINUTES + 1) * MINUTE_MS
