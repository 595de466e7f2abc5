"""What a fault needs at hand, and the stopwatches that run from a kill to the next news."""

import random
import threading
import time
from collections.abc import Callable

import msgspec

from contracts import SessionUpdate
from tests.chaos.history import marker_in
from tests.chaos.oracle import Oracle
from tests.chaos.sender import Shoppers
from tests.chaos.tail import Tail, TopicRecord, read_all
from tests.chaos.world import World, now_ms

EXCUSABLE_SECONDS = 5.0
"""A site that is killed may have held answers this fresh in its memory while Kafka was up."""

_time_of = msgspec.json.Decoder(SessionUpdate)


class Stopwatch(msgspec.Struct):
    """From ``begun`` to the first session update that was made after ``ended``, all in ms."""

    label: str
    begun: int
    ended: int
    taken: int | None = None


class Stopwatches:
    """Fed with the session topic's records; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: list[Stopwatch] = []
        self.updates = 0
        self.newest = 0
        """When the newest update was made, in ms."""

    def start(self, label: str, begun: int) -> None:
        """The job has been killed, and is gone by now."""
        with self._lock:
            self._all.append(Stopwatch(label, begun, now_ms()))

    def take(self, records: list[TopicRecord]) -> None:
        """Stop those that a record ends."""
        self.updates += len(records)
        for record in records:
            made = _time_of.decode(record.value or b"").processed_time
            self.newest = max(self.newest, made)
            with self._lock:
                for watch in self._all:
                    if watch.taken is None and made > watch.ended:
                        watch.taken = record.timestamp - watch.begun

    def running(self) -> list[Stopwatch]:
        """Those whose job has not yet said anything new."""
        with self._lock:
            return [watch for watch in self._all if watch.taken is None]

    def by_label(self) -> dict[str, list[int]]:
        """The times in ms by label, in the order of the kills."""
        found: dict[str, list[int]] = {}
        with self._lock:
            for watch in self._all:
                if watch.taken is not None:
                    found.setdefault(watch.label, []).append(watch.taken)
        return found


class BrokenError(Exception):
    """A promise does not hold. Each argument is a sentence."""


class Attack:
    """One fault's view of the run. ``say`` adds a line to the record, with its time."""

    def __init__(
        self,
        world: World,
        oracle: Oracle,
        shoppers: Shoppers,
        watches: Stopwatches,
        dice: random.Random,
        say: Callable[[str], None],
    ) -> None:
        self.world, self.oracle, self.shoppers = world, oracle, shoppers
        self.watches, self.dice, self.say = watches, dice, say

    def pause(self, least: float, most: float) -> float:
        """Let a seeded time pass; how long that was, in seconds."""
        seconds = self.dice.uniform(least, most)
        time.sleep(seconds)
        return seconds

    def kill_job(self, label: str) -> None:
        """kill -9 of the whole job, with a stopwatch."""
        begun = now_ms()
        if self.world.kill("job") is None:
            self.say("the job was not running")
            return
        self.watches.start(label, begun)

    def excuse(self, killed: float) -> None:
        """What waited in a killed site's memory is lost, as documented; nothing older may be.

        ``killed`` is when it was (unix seconds); the site is gone, and Kafka is up.
        """
        owed = self.oracle.owed()
        answered = dict(self.shoppers.answered)
        came = {marker_in(record) for record in read_all(self.world.kafka, "requests")}
        missing = {one for one in owed if one not in came}
        gone = {one for one in missing if answered[one] <= killed}
        old = sorted(one for one in gone if answered[one] < killed - EXCUSABLE_SECONDS)
        if old:
            raise BrokenError(f"the site had not sent for {EXCUSABLE_SECONDS:.0f} s: {old[:5]}")
        self.oracle.excuse(gone)
        self.say(f"{len(gone)} answered request(s) were still in the killed site's memory")


def tail_of_sessions(world: World, watches: Stopwatches) -> Tail:
    """A started tail that feeds the stopwatches."""
    tail = Tail(world.kafka, "sessions", watches.take)
    tail.start()
    return tail
