"""Whole topics as a stream of records, over any outage of Kafka.

A feed assigns itself every partition of its topics, without a consumer group: where to begin is
its reader's to say, because the reader stores its positions beside what it made of the records.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from api.progress import Place, Progress
from contracts.kafka import KafkaSettings

log = logging.getLogger(__name__)

RECENT_MS = 60 * 60 * 1000
PROBE_SECONDS = 2.0
TOPICS_SECONDS = 60.0
_OPTIONS: dict[str, Any] = {
    "allow_auto_create_topics": False,
    "auto_offset_reset": "earliest",
    "bootstrap_timeout_ms": 5_000,
    "enable_auto_commit": False,
    "fetch_max_wait_ms": 500,
    "fetch_min_bytes": 1,
    "group_id": None,
    "fetch_max_bytes": 8 * 1024 * 1024,
    "max_partition_fetch_bytes": 2 * 1024 * 1024,
    "metrics_enabled": False,
    "reconnect_backoff_max_ms": 1_000,
}


class Bounds(NamedTuple):
    """Offsets of a partition: its first, the first of the last hour, and the next to come."""

    begin: int
    recent: int
    end: int


class Slice(NamedTuple):
    """Consecutive records of one partition. ``role`` is the topic's in the contract."""

    role: str
    place: Place
    records: list[Any]

    @property
    def next_offset(self) -> int:
        """The offset at which reading continues after this slice."""
        return int(self.records[-1].offset) + 1


class Reader(Protocol):
    """What a feed delivers to. Its methods are called on the feed's thread."""

    def prepare(self) -> None:
        """Get ready for records, before Kafka is asked for any."""
        ...

    def begin(self, bounds: Mapping[Place, Bounds]) -> Mapping[Place, int]:
        """The offset at which to begin each partition."""
        ...

    def take(self, slices: list[Slice]) -> None:
        """Deal with records; when this returns they count as read."""
        ...


class FeedState(NamedTuple):
    """A feed's health: connected or why not, and how many records it still has to read."""

    connected: bool
    detail: str
    lag: int
    caught_up: bool


class TopicsMissingError(Exception):
    """Topics do not exist yet. Create them, for instance by starting the stack."""


class Feed(threading.Thread):
    """Reads topics on a thread of its own and hands their records to a reader."""

    def __init__(
        self,
        name: str,
        kafka: KafkaSettings,
        roles: tuple[str, ...],
        reader: Reader,
        *,
        max_records: int = 2_000,
        retry_seconds: float = 1.0,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._kafka = kafka
        self._topics = {kafka.topic(role): role for role in roles}
        self._reader = reader
        self._max_records = max_records
        self._retry_seconds = retry_seconds
        self._stopping = threading.Event()
        self._progress = Progress({}, {})
        self.state = FeedState(False, "starting", 0, False)
        self.cluster = ""

    @property
    def lags(self) -> dict[Place, int]:
        """Records to go in each partition, as it was when Kafka last answered."""
        return self._progress.lags

    def stop(self) -> None:
        """Ask the thread to end; ``join`` waits for it."""
        self._stopping.set()

    def run(self) -> None:
        """Follow the topics until stopped, reconnecting for ever."""
        while not self._stopping.is_set():
            try:
                self._reader.prepare()
                self._connect()
            except (KafkaError, TopicsMissingError, OSError) as error:
                self._lost(f"{type(error).__name__}: {error}")
            except Exception as error:
                if self._stopping.is_set():
                    return
                log.exception("%s: reading failed and starts over", self.name)
                self._lost(f"{type(error).__name__}: {error}")

    def _lost(self, reason: str) -> None:
        if self.state.connected or self.state.detail != reason:
            log.warning("%s: no records from Kafka (%s); trying again", self.name, reason)
        self.state = FeedState(False, reason, self.state.lag, False)
        self._stopping.wait(self._retry_seconds)

    def _connect(self) -> None:
        options = {**_OPTIONS, **self._kafka.client_options()}
        consumer = KafkaConsumer(client_id=self.name, **options)
        try:
            partitions = self._partitions(consumer)
            self._seek(consumer, partitions)
            log.info("%s: reading %d partitions", self.name, len(partitions))
            self._follow(consumer, partitions)
        finally:
            consumer.close(autocommit=False, timeout_ms=1_000)

    def _partitions(self, consumer: Any) -> list[Any]:
        found = {topic: consumer.partitions_for_topic(topic) for topic in self._topics}
        missing = sorted(topic for topic, partitions in found.items() if not partitions)
        if missing:
            raise TopicsMissingError(f"these topics do not exist yet: {', '.join(missing)}")
        return [TopicPartition(topic, number) for topic in found for number in sorted(found[topic])]

    def _seek(self, consumer: Any, partitions: list[Any]) -> None:
        begins = consumer.beginning_offsets(partitions)
        ends = consumer.end_offsets(partitions)
        hour_ago = int(time.time() * 1000) - RECENT_MS
        recent = consumer.offsets_for_times(dict.fromkeys(partitions, hour_ago))
        bounds = {
            Place(*part): Bounds(
                begins[part], recent[part].offset if recent[part] else ends[part], ends[part]
            )
            for part in partitions
        }
        self.cluster = _cluster_of(consumer)
        positions = self._reader.begin(bounds)
        consumer.assign(partitions)
        for part in partitions:
            consumer.seek(part, positions[Place(*part)])
        self._progress = Progress(positions, {Place(*part): ends[part] for part in partitions})
        self._tell()

    def _follow(self, consumer: Any, partitions: list[Any]) -> None:
        heard = checked = time.monotonic()
        while not self._stopping.is_set():
            slices = self._poll(consumer)
            now = time.monotonic()
            if slices:
                self._reader.take(slices)
                heard = now
                self._progress.move(_positions(slices), _ends(consumer, slices))
                self._tell()
            elif now - heard >= PROBE_SECONDS:
                self._ask(consumer, partitions)
                heard = time.monotonic()
            if now - checked >= TOPICS_SECONDS:
                checked = now
                if self._partitions(consumer) != partitions:
                    return  # reopen with the new partitions

    def _ask(self, consumer: Any, partitions: list[Any]) -> None:
        """Polling an unreachable Kafka says nothing; asking for the ends fails."""
        ends = consumer.end_offsets(partitions, timeout_ms=5_000)
        self._progress.move(
            {Place(*part): consumer.position(part) for part in partitions},
            {Place(*part): ends[part] for part in partitions},
        )
        self._tell()

    def _poll(self, consumer: Any) -> list[Slice]:
        polled = consumer.poll(timeout_ms=500, max_records=self._max_records)
        return [
            Slice(self._topics[part.topic], Place(*part), records)
            for part, records in polled.items()
            if records
        ]

    def _tell(self) -> None:
        self.state = FeedState(True, "connected", self._progress.lag, self._progress.caught_up)


def _positions(slices: list[Slice]) -> dict[Place, int]:
    return {item.place: item.next_offset for item in slices}


def _cluster_of(consumer: Any) -> str:
    """Kafka's own id, which its client learns with the topics but does not hand out."""
    return getattr(getattr(consumer, "_cluster", None), "cluster_id", None) or ""


def _ends(consumer: Any, slices: list[Slice]) -> dict[Place, int]:
    """The ends that came with the records, free of charge."""
    marks = ((item, consumer.highwater(TopicPartition(*item.place))) for item in slices)
    return {item.place: mark or item.next_offset for item, mark in marks}


Clock = Callable[[], int]


def wall_clock() -> int:
    """Now, in ms since 1970 UTC."""
    return time.time_ns() // 1_000_000
