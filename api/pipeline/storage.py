"""What the history, the job's state and Kafka's topics take on their disks."""

import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from sqlalchemy import Connection, Engine, select, text

from api.history.engine import reading
from api.history.models import BucketStatsRow
from api.pipeline.answers import Storage, Stored
from contracts import BucketStats
from contracts.kafka import KafkaSettings
from contracts.topics import TOPICS

KEPT_S = 30.0
"""Sizes change slowly, and asking Kafka costs a connection."""


class StorageMeter:
    """Sizes for all who ask; asked for anew at most every half minute. Safe for threads."""

    def __init__(
        self,
        engine: Engine,
        kafka: KafkaSettings,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._kafka, self._tick = engine, kafka, tick
        self._lock = threading.Lock()
        self._kept: tuple[float, Storage] | None = None

    def get(self) -> Storage:
        """The sizes; whoever comes while they are asked for waits for them."""
        with self._lock:
            if self._kept is None or self._tick() - self._kept[0] >= KEPT_S:
                self._kept = (self._tick(), self._measure())
            return self._kept[1]

    def _measure(self) -> Storage:
        with reading(self._engine) as connection:
            items = [_history(connection), _state(connection)]
        try:
            sizes, fault = topic_sizes(self._kafka), ""
        except (KafkaError, OSError) as error:
            sizes, fault = {}, f"Kafka did not tell its topics' sizes ({type(error).__name__})."
        return Storage(items=[*items, *_topics(self._kafka, sizes)], fault=fault)


def _history(connection: Connection) -> Stored:
    dialect = connection.engine.dialect.name
    if dialect == "postgresql":
        size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    else:
        size = _sqlite_bytes(connection)
    detail = "PostgreSQL" if dialect == "postgresql" else "SQLite"
    return Stored(kind="history", name="history", size=size, detail=detail)


def _sqlite_bytes(connection: Connection) -> int:
    """The file and the log that its newest writes are in."""
    pages = connection.execute(text("PRAGMA page_count")).scalar_one()
    size = int(pages) * int(connection.execute(text("PRAGMA page_size")).scalar_one())
    file = connection.engine.url.database
    log = f"{file}-wal"
    return size + (os.path.getsize(log) if file and os.path.exists(log) else 0)


def _state(connection: Connection) -> Stored:
    texts = connection.execute(select(BucketStatsRow.message)).scalars()
    every = [msgspec.json.decode(one, type=BucketStats) for one in texts]
    newest: dict[str, int] = {}
    for stats in every:
        newest[stats.topic] = max(newest.get(stats.topic, 0), stats.epoch)
    current = [stats for stats in every if stats.epoch == newest[stats.topic]]
    return Stored(
        kind="state",
        name="state",
        size=sum(stats.state_bytes for stats in current),
        detail=f"{sum(stats.visitors for stats in current):,} visitors",
    )


def _topics(kafka: KafkaSettings, sizes: dict[str, int]) -> Iterable[Stored]:
    for topic in TOPICS:
        name = topic.name(kafka.topic_prefix)
        days = topic.retention_ms / 86_400_000
        kept = "kept for ever" if topic.retention_ms < 0 else f"kept {days:g} d"
        yield Stored(kind="topic", name=name, size=sizes.get(name), detail=kept)


def topic_sizes(kafka: KafkaSettings) -> dict[str, int]:
    """Bytes on the brokers' disks by topic, all replicas together. KafkaError when it is away."""
    admin = KafkaAdminClient(
        **kafka.client_options(),
        client_id="clickwake-storage",
        bootstrap_timeout_ms=3_000,
        request_timeout_ms=5_000,
    )
    try:
        return _summed(admin.describe_log_dirs())
    finally:
        admin.close()


def _summed(brokers: list[dict[str, Any]]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for broker in brokers:
        for folder in broker["log_dirs"]:
            for topic in folder["topics"]:
                total = sum(part["partition_size"] for part in topic["partitions"])
                sizes[topic["name"]] = sizes.get(topic["name"], 0) + total
    return sizes
