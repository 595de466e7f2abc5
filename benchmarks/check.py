"""``./clickwake bench check``: the hot paths in process, as ratios to a yardstick of the same run.

The yardstick is a round trip of one event through the standard library's JSON. A slower machine
is slower at both, so the ratio says whether the code became slower. Nothing here needs Kafka or
Spark. The ratios to hold are in ``ratios.json``, beside this file.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from api.live.broadcast import Broadcast
from api.live.hub import Hub
from api.live.position import Read
from benchmarks.fanout import messages
from benchmarks.interceptor.asked import scope
from benchmarks.interceptor.in_process import AbsentKafka, middleware, receive, send
from benchmarks.workload import event_of
from contracts.kafka import KafkaSettings
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.rules import Rules

RATIOS = Path(__file__).with_name("ratios.json")
ALLOWED = 1.5
"""A part fails when its ratio is so many times the one to hold. Repeated runs differ by a fifth."""

START_MS = 1_772_366_400_000
SOURCE = Source("bench.requests", 0)
Part = Callable[[], float]
"""Runs once; µs of CPU for one unit of its work."""

_encode = msgspec.json.Encoder().encode


class Verdict(msgspec.Struct, frozen=True):
    """A part's ratio to the yardstick, and the one to hold (None: not written down yet)."""

    part: str
    ratio: float
    held: float | None

    @property
    def is_slower(self) -> bool:
        """Whether it fails the check."""
        return self.held is not None and self.ratio > ALLOWED * self.held


def main(rounds: int, *, write: bool) -> list[Verdict]:
    """Measure, print, and with ``write`` make the ratios found the ones to hold."""
    found = measure(rounds)
    held = json.loads(RATIOS.read_text()) if RATIOS.exists() else {}
    verdicts = [Verdict(part, ratio, held.get(part)) for part, ratio in found.items()]
    table = Table("part", "ratio", "to hold", title=f"CPU against a JSON round trip, × {rounds}")
    for one in verdicts:
        style = "red" if one.is_slower else None
        table.add_row(one.part, f"{one.ratio:.2f}", f"{one.held or 0:.2f}", style=style)
    Console().print(table)
    if write:
        rounded = {one.part: round(one.ratio, 2) for one in verdicts}
        RATIOS.write_text(json.dumps(rounded, indent=2) + "\n")
    return verdicts


def measure(rounds: int) -> dict[str, float]:
    """Each part's median ratio, in interleaved rounds after one that warms up."""
    parts = _parts()
    for part in [yardstick, *parts.values()]:
        part()
    ratios: dict[str, list[float]] = {name: [] for name in parts}
    for _ in track(range(rounds), "measuring", console=Console(stderr=True), transient=True):
        for name, part in parts.items():
            unit = yardstick()
            ratios[name].append(part() / unit)
    return {name: median(found) for name, found in ratios.items()}


def _parts() -> dict[str, Part]:
    job = Job(Rules(), Enricher(()), 1)
    return {
        "session core, an event in a batch": _core(job),
        "session core, an event in a bucket of 1,000 visitors": _touch(job),
        "hub, a frame to one of 500 dashboards": hub,
        "interceptor, a page view": interceptor,
    }


def _cpu(work: Callable[[], object], units: int) -> float:
    begun = time.process_time_ns()
    work()
    return (time.process_time_ns() - begun) / units / 1000


def yardstick() -> float:
    """One event through ``json.dumps`` and ``json.loads``."""
    event = msgspec.to_builtins(event_of(1, 1, START_MS))
    count = 5_000
    return _cpu(lambda: [json.loads(json.dumps(event)) for _ in range(count)], count)


def _record(number: int, visitor: int) -> Record:
    event = event_of(number, visitor, START_MS + number)
    key = f"{event.site_id}/{event.visitor_id}".encode()
    return Record(key, _encode(event), number, START_MS + number)


def _core(job: Job) -> Part:
    """Eight buckets, each with 1,000 events of 100 visitors in two batches."""
    batches = [
        [_record(number, number % 100) for number in range(begin, begin + 500)]
        for begin in range(0, 1_000, 500)
    ]

    def work() -> None:
        for number in range(8):
            stored = None
            for records in batches:
                stored = _applied(job, number, stored, records)

    return lambda: _cpu(work, 8_000)


def _touch(job: Job) -> Part:
    full = _applied(job, 0, None, [_record(number, number % 1_000) for number in range(3_000)])
    records = [_record(3_000 + number, number * 79 % 1_000) for number in range(100)]
    return lambda: _cpu(lambda: [_applied(job, 0, full, [one]) for one in records], len(records))


def _applied(
    job: Job, number: int, stored: tuple[bytes, bytes] | None, records: list[Record]
) -> tuple[bytes, bytes]:
    bucket = Bucket(job, SOURCE, number, stored, START_MS)
    bucket.apply(records)
    return bucket.stored()


class _Crowd:
    """The sockets of all dashboards: they take everything, and tell when all have a frame."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken = 0
        self.served = asyncio.Event()

    async def send(self, message: bytes) -> None:
        message.decode()
        self._taken += 1
        if self._taken % self._size == 0:
            self.served.set()

    async def receive(self) -> None:
        await asyncio.Event().wait()


def hub() -> float:
    """A told frame, from the update to every dashboard's socket."""
    return asyncio.run(_told(dashboards=500, frames=6))


async def _told(dashboards: int, frames: int) -> float:
    broadcast = Broadcast(Hub(200), lambda: START_MS, heartbeat=60)
    crowd = _Crowd(dashboards)
    serving = [asyncio.create_task(broadcast.serve(crowd)) for _ in range(dashboards)]
    await crowd.served.wait()
    begun = time.process_time_ns()
    for number in range(frames):
        crowd.served.clear()
        await broadcast.take([Read(messages.update(number + 1, number, START_MS))])
        await crowd.served.wait()
    taken = (time.process_time_ns() - begun) / dashboards / frames / 1000
    for task in serving:
        task.cancel()
    await asyncio.gather(*serving, return_exceptions=True)
    return taken


def interceptor(requests: int = 4_000) -> float:
    """A logged page view, with Kafka away and room in the queue."""
    # It says that there is no Kafka, which is so on purpose.
    logging.getLogger("clickwake.interceptor").setLevel(logging.CRITICAL)
    absent = AbsentKafka()
    application = middleware(requests, absent.connect, KafkaSettings())
    scopes = [scope(number, "/product/kettle") for number in range(requests)]

    async def ask() -> None:
        for one in scopes:
            await application(one, receive, send)

    taken = _cpu(lambda: asyncio.run(ask()), requests)
    absent.release()
    return taken
