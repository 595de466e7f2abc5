"""A run: the stack, the load, fault after fault, and after each the question what became of it."""

import random
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from contracts import BucketStats
from tests.chaos import files, kills, readers
from tests.chaos.attack import Attack, BrokenError, Stopwatches, tail_of_sessions
from tests.chaos.batch import batch_sessions
from tests.chaos.disks import why_no_disks
from tests.chaos.events import EventMaker
from tests.chaos.history import ask, event_ids, found_in, markers
from tests.chaos.oracle import Oracle, judge, ledger_of
from tests.chaos.plan import NEEDS_DISK, Planned, Round
from tests.chaos.sender import Sender, Shoppers
from tests.chaos.tail import read_all
from tests.chaos.world import World, now_ms
from tests.support.waiting import wait_until

EVENTS_PER_SECOND, REQUESTS_PER_SECOND = 30, 5
RECOVERY_SECONDS = 300.0
SETTLE_SECONDS = 180.0
HOUR_MS = 3_600_000
FULL_EVERY = 6
"""Rounds between two comparisons with the batch job, which cost a pause of the load each."""

FAULTS: dict[str, Callable[[Attack], None]] = {
    "job": kills.job,
    "job-before-commit": kills.job_before_commit,
    "torn-offsets": partial(files.torn_log, log="offsets"),
    "torn-commits": partial(files.torn_log, log="commits"),
    "torn-state": files.torn_state,
    "freeze-job": partial(kills.freeze, name="job"),
    "full-checkpoint": partial(files.full, name="checkpoint"),
    "broker": kills.broker,
    "freeze-broker": partial(kills.freeze, name="kafka"),
    "broker-away": kills.broker_away,
    "full-kafka": partial(files.full, name="kafka"),
    "api": kills.api,
    "freeze-api": partial(kills.freeze, name="api"),
    "full-history": partial(files.full, name="history"),
    "history-again": readers.history_again,
    "site": kills.site,
    "supervisor": kills.supervisor,
    "requests-again": readers.requests_again,
    "second-api": readers.second_api,
    "dashboards": readers.dashboards,
}


class Run:
    """One run on one data folder. ``say`` takes the lines of its record."""

    def __init__(self, data: Path, seed: int, say: Callable[[str], None]) -> None:
        self.world = World(data)
        self.oracle = Oracle()
        self.watches = Stopwatches()
        self.skipped: list[str] = []
        self._say_line = say
        self._began, self._began_ms = time.monotonic(), now_ms()
        self._speaking = threading.Lock()
        self._sender = Sender(self.world.kafka, self.oracle, EventMaker(seed), EVENTS_PER_SECOND)
        self._shoppers = Shoppers(self.world.site, self.oracle, seed, REQUESTS_PER_SECOND)

    def say(self, text: str) -> None:
        """A line of the record, with its time."""
        clock = time.strftime("%H:%M:%S", time.gmtime())
        with self._speaking:
            self._say_line(f"{clock} +{time.monotonic() - self._began:6.1f} s  {text}")

    def go(self, rounds: Iterable[Round], *, keep: bool = False) -> None:
        """All of it. Raises BrokenError for what does not hold, AssertionError for a vain wait.

        Then, or with ``keep``, the data folder has everything; else what is left may be deleted.
        """
        self._mount()
        try:
            self.world.start()
            self.say("the stack serves")
            self._attack_under_load(rounds)
        except BaseException:
            keep = True
            raise
        finally:
            self.world.stop()
            for disk in self.world.disks.values():
                disk.unmount(keep=keep)

    def _mount(self) -> None:
        for disk in () if why_no_disks() else self.world.disks.values():
            disk.mount()

    def _attack_under_load(self, rounds: Iterable[Round]) -> None:
        tail = tail_of_sessions(self.world, self.watches)
        loads = (self._sender, self._shoppers)
        for load in loads:
            load.start()
        try:
            wait_until(lambda: self.oracle.count() > 100, 60, "the load")
            self._rounds(rounds)
        finally:
            for load in loads:
                load.stop()
            tail.stop()

    def _rounds(self, rounds: Iterable[Round]) -> None:
        self._check_lightly()
        for number, faults in enumerate(rounds, 1):
            self._attack(faults)
            self._check_lightly()
            if number % FULL_EVERY == 0:
                self._check_fully(then_go_on=True)
        self._check_fully(then_go_on=False)
        self._check_as_an_operator()

    def _attack(self, faults: Round) -> None:
        with ThreadPoolExecutor(len(faults)) as side_by_side:
            done = [side_by_side.submit(self._one, fault) for fault in faults]
        for future in done:
            future.result()

    def _one(self, fault: Planned) -> None:
        name = f"fault {fault.number} {fault.kind}"
        if fault.kind in NEEDS_DISK and why_no_disks():
            self.skipped.append(fault.kind)
            self.say(f"{name}: skipped, as {why_no_disks()}")
            return
        self.say(name)
        attack = Attack(
            self.world,
            self.oracle,
            self._shoppers,
            self.watches,
            random.Random(fault.seed),
            lambda text: self.say(f"{name}: {text}"),
        )
        FAULTS[fault.kind](attack)

    def _check_lightly(self) -> None:
        """Everything runs again, and all that was acknowledged by now is in the history."""
        for load in (self._sender, self._shoppers):
            load.require_alive()
        since = now_ms()
        events, owed = self.oracle.promised("event"), self.oracle.owed()
        database = self.world.database
        for name in ("kafka", "api", "job", "site"):
            self.world.wait_for(name)
        wait_until(lambda: self._has_news(since), RECOVERY_SECONDS, "a new session update")
        self._wait_for(events, lambda: event_ids(database))
        self._wait_for(owed & self.oracle.owed(), lambda: markers(database))
        wait_until(self.world.is_healthy, RECOVERY_SECONDS, f"health: {self.world.health()}")
        self.say(f"well again: {len(events)} events and {len(owed)} requests are there")

    def _has_news(self, since: int) -> bool:
        return self.watches.newest > since and not self.watches.running()

    def _wait_for(self, wanted: set[str], there: Callable[[], set[str]]) -> None:
        try:
            wait_until(lambda: wanted <= there(), SETTLE_SECONDS)
        except AssertionError:
            missing = sorted(wanted - there())
            raise BrokenError(f"lost: {len(missing)} ({', '.join(missing[:5])})") from None

    def _check_fully(self, *, then_go_on: bool) -> None:
        """The load pauses until all is settled; then everything is judged."""
        loads = (self._sender, self._shoppers)
        for load in loads:
            load.pause()
        wait_until(self._sender.is_idle, SETTLE_SECONDS, "all messages are acknowledged")
        wait_until(self._has_closed, SETTLE_SECONDS, "silence closes all sessions")
        verdict = self._settled_verdict()
        if verdict:
            raise BrokenError(*verdict)
        self.say("equal to the batch job, balanced, nothing lost, nothing doubled")
        for load in loads if then_go_on else ():
            load.go_on()

    def _check_as_an_operator(self) -> None:
        """The product's own commands find what the oracle found.

        The events of two days ago are late; the period keeps clear of what they would change.
        """
        for command in (("verify", "--from", str(self._began_ms - HOUR_MS)), ("ledger",)):
            done = self.world.command(*command)
            if done.returncode:
                raise BrokenError(f"./clickwake {' '.join(command)}: {done.stdout}{done.stderr}")
            self.say(f"./clickwake {' '.join(command)} agrees")

    def _has_closed(self) -> bool:
        question = "SELECT count(*) FROM sessions WHERE status = 'open'"
        return ask(self.world.database, question) == [(0,)]

    def _settled_verdict(self) -> list[str]:
        """The verdict once it is a good one, or when it has had time enough to become one."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (verdict := self._verdict()) and time.monotonic() < deadline:
            time.sleep(1)
        return verdict

    def _verdict(self) -> list[str]:
        requests = read_all(self.world.kafka, "requests")
        found = found_in(self.world.database, self.world.kafka, requests)
        late = set(found.late)
        expected = batch_sessions(requests, late, self.world.environ)
        verdict = judge(self.oracle, found, markers(self.world.database), expected)
        if not verdict:
            self.say(f"{found.records} requests, {len(expected)} sessions; {_ledger(found.stats)}")
        return verdict


def _ledger(stats: list[BucketStats]) -> str:
    return ", ".join(f"{name} {count}" for name, count in ledger_of(stats).items())
