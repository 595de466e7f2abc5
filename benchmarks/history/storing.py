"""Messages through the API's own writer, batch by batch, and how long it took for them."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from api.history.writer import HistoryWriter
from benchmarks.history import records
from benchmarks.history.results import Stored
from contracts import EnrichedEvent, SessionUpdate

BATCH = 5_000
"""Records that the API's feed hands over at once."""

MONTH_MS = 30 * 24 * 60 * 60_000
HOUR_MS = 60 * 60_000
TENTHS = 10
SAY_EVERY_S = 10.0

Part = Literal["write", "updates", "plain"]
WRITTEN: tuple[Part, ...] = ("write", "updates", "plain")
"""What is written in a round: living sessions with their events; their updates alone; these in
the plain way, a statement each."""

Say = Callable[[str], None]


class Batch(NamedTuple):
    """Messages that are stored in one transaction."""

    updates: Sequence[SessionUpdate]
    events: Sequence[EnrichedEvent]


class Meter:
    """Counts what the writer takes and its time. Making the messages is not counted."""

    def __init__(self, writer: HistoryWriter) -> None:
        self._writer = writer
        self._offset = 0
        self.events_in_all = 0
        self._clear()

    def _clear(self) -> None:
        self.updates = self.events = 0
        self.seconds = self.cpu_s = 0.0

    def store(self, batch: Batch) -> None:
        """Hand it over as the feed would."""
        given = records.slices(batch.updates, batch.events, self._offset)
        begun, cpu = time.monotonic(), time.process_time()
        self._writer.take(given)
        self.seconds += time.monotonic() - begun
        self.cpu_s += time.process_time() - cpu
        self.updates += len(batch.updates)
        self.events += len(batch.events)
        self.events_in_all += len(batch.events)
        self._offset += max(len(batch.updates), len(batch.events))

    def taken(self, database: str, part: str, number: int, sessions: int, disk: int) -> Stored:
        """What it comes to since the last time."""
        stored = Stored(
            database=database,
            part=part,
            number=number,
            sessions=sessions,
            updates=self.updates,
            events=self.events,
            seconds=round(self.seconds, 2),
            updates_per_s=round(self.updates / self.seconds),
            events_per_s=round(self.events / self.seconds),
            cpu=round(self.cpu_s / self.seconds, 2),
            disk_mb=round(disk / 1e6),
        )
        self._clear()
        return stored


def fill(
    meter: Meter, database: str, sessions: int, now: int, disk: Callable[[], int], say: Say
) -> Iterator[Stored]:
    """A month of sessions with their events, each in its latest state; a result a tenth."""
    begun = said = time.monotonic()
    done, tenth = 0, 1
    size = BATCH // 3
    while done < sessions:
        upto = min(done + size, sessions * tenth // TENTHS)
        meter.store(_final_states(range(done, upto), sessions, now))
        done = upto
        if done == sessions * tenth // TENTHS:
            yield meter.taken(database, "fill", tenth, done, disk())
            tenth += 1
        if time.monotonic() - said > SAY_EVERY_S:
            said = time.monotonic()
            left = (said - begun) / done * (sessions - done)
            say(f"{database}: {done:,} of {sessions:,} sessions stored, {left:.0f} s to go")


def start_of(number: int, sessions: int, now: int) -> int:
    """When that one of a month's sessions starts."""
    return now - MONTH_MS + number * MONTH_MS // sessions


def _final_states(numbers: range, sessions: int, now: int) -> Batch:
    updates: list[SessionUpdate] = []
    events: list[EnrichedEvent] = []
    for number in numbers:
        start = start_of(number, sessions, now)
        is_open = records.is_open(start, now)
        revision = 2 if is_open else len(records.LIFE)
        updates.append(records.session(number, start, records.LIFE[revision - 1], revision))
        events += records.events(number, start)
    return Batch(updates, events)


def write(
    meter: Meter, database: str, part: Part, sessions: int, seconds: float, number: int, now: int
) -> Stored:
    """New sessions as they live: each is told four times, in four batches.

    In the part ``write`` its events come too, once. ``sessions`` are stored before; numbers go on
    from there.
    """
    with_events = part == "write"
    group = BATCH // (len(records.LIFE) + 2 * with_events)
    # Every round has numbers of its own, far enough from those of the others.
    first = sessions + (number * len(WRITTEN) + WRITTEN.index(part)) * 100_000_000
    turn = 0
    while meter.seconds < seconds:
        batch = _lives(first, group, turn, now)
        meter.store(batch if with_events else batch._replace(events=()))
        turn += 1
    return meter.taken(database, part, number, sessions, 0)


def _lives(first: int, group: int, turn: int, now: int) -> Batch:
    """The ``turn``-th group begins; those of the turns before are told as they go on."""
    updates = [
        records.session(number, _recent(number, first, now), status, revision)
        for revision, status in enumerate(records.LIFE, start=1)
        for number in _group(first, group, turn - revision + 1)
    ]
    events = [
        event
        for number in _group(first, group, turn)
        for event in records.events(number, _recent(number, first, now))
    ]
    return Batch(updates, events)


def _group(first: int, size: int, turn: int) -> range:
    return range(first + turn * size, first + (turn + 1) * size) if turn >= 0 else range(0)


def _recent(number: int, first: int, now: int) -> int:
    """In the last hour."""
    return now - HOUR_MS + (number - first) % HOUR_MS
