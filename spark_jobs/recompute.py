"""Sessions anew from a request topic or a file, by the stream's own bucket core, at once.

As in ``file_sessions`` each bucket gets all of its records and then a last watermark, so late
events are where they belong.
"""

from collections.abc import Iterator
from functools import lru_cache
from time import time
from typing import Any

import msgspec
import pandas as pd
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts import WATERMARK_END, Barred, EnrichedEvent, SessionUpdate, partition_key
from contracts.erasures import Bar
from contracts.kafka import KafkaSettings
from spark_jobs.bucket import Bucket, Job
from spark_jobs.comparison import Found
from spark_jobs.enrich import Enricher, Source, clamp
from spark_jobs.file_sessions import apply_whole
from spark_jobs.kafka_range import KafkaRange
from spark_jobs.pipeline import with_bucket
from spark_jobs.processor import CLOCK_ROLES, NO_WATERMARK, place_of
from spark_jobs.rules import Rules

BUCKETS = 128
RESULT_SCHEMA = "bucket long, start long, id string, visitor string, payload binary"
"""``payload`` is a message as JSON; only sessions have ``start`` and ``id``."""
_COLUMNS = ["bucket", "start", "id", "visitor", "payload"]


class RecomputeSettings(msgspec.Struct, frozen=True):
    """What the Python workers need. ``file``: the name of the file that stands for a topic.

    ``bars``: who is erased.
    """

    rules: Rules
    geo_paths: tuple[str, ...]
    epoch: int
    topic_prefix: str
    file: str | None = None
    bars: tuple[Bar, ...] = ()


def read_range(spark: SparkSession, kafka: KafkaSettings, wanted: KafkaRange) -> DataFrame:
    """(bucket, key, value, offset, broker_time, watermark) of the range, cut into buckets."""
    options = kafka.spark_options() | wanted.options()
    requests = spark.read.format("kafka").options(**options).load()
    topics = [kafka.topic(role) for role in CLOCK_ROLES]
    # A watermark record is of interest once a partition, not once a bucket.
    return with_bucket(requests, topics, BUCKETS, shares=BUCKETS)


def from_lines(lines: DataFrame) -> DataFrame:
    """A file's events (LINE_SCHEMA) in the same shape."""
    return lines.where("kind = 'event'").select(
        F.pmod(F.xxhash64("key"), F.lit(BUCKETS)).alias("bucket"),
        "key",
        "value",
        F.col("line").alias("offset"),
        F.col("time").alias("broker_time"),
        F.lit(NO_WATERMARK).alias("watermark"),
    )


def recomputed(rows: DataFrame, settings: RecomputeSettings, role: str) -> DataFrame:
    """RESULT_SCHEMA rows of the messages for ``sessions`` or ``events``."""

    def apply(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
        results = _results(int(key[0]), frame, settings, role)
        return pd.DataFrame(list(results), columns=_COLUMNS)

    events = rows.where(F.col("watermark") == NO_WATERMARK)
    return events.groupBy("bucket").applyInPandas(apply, RESULT_SCHEMA)


@lru_cache(maxsize=4)
def _job(settings: RecomputeSettings) -> Job:
    enricher, barred = Enricher(settings.geo_paths), Barred(settings.bars)
    return Job(settings.rules, enricher, settings.epoch, barred=barred)


def _results(
    number: int, frame: pd.DataFrame, settings: RecomputeSettings, wanted: str
) -> Iterator[tuple[int, int, str, str, bytes]]:
    source, place = place_of(number, settings.topic_prefix)
    if settings.file is not None:
        source = Source(settings.file, 0)
    bucket = Bucket(_job(settings), source, place, None, int(time() * 1000))
    apply_whole(bucket, frame.sort_values("offset"), ("key", "value", "offset", "broker_time"))
    for role, key, value in bucket.messages:
        if role != wanted:
            continue
        if role == "events":
            yield number, 0, "", key.decode(), value
        else:
            session = msgspec.json.decode(value, type=SessionUpdate)
            yield number, session.start, session.session_id, visitor_of(session), value


def visitor_of(session: SessionUpdate) -> str:
    """The Kafka key of the session's events: all ids of a visitor have it in common."""
    return partition_key(session.site_id, session.visitor_id).decode()


class Recomputation:
    """All sessions of the rows, found once and kept on disk while they are compared."""

    def __init__(self, rows: DataFrame, settings: RecomputeSettings) -> None:
        self._rows = rows
        self._settings = settings
        self._told = _told(rows, settings.rules)
        found = recomputed(rows, settings, "sessions")
        # Sorting looks at its input twice; without this the sessions would be found twice.
        self._found = found.persist(StorageLevel.DISK_ONLY)

    def close(self) -> None:
        """Free the disk."""
        self._found.unpersist()

    def sessions(self, begin: int, end: int, site: str | None) -> Iterator[Found]:
        """Those that start in [begin, end), by (start, session_id), descending."""
        chosen = self._found.where((F.col("start") >= begin) & (F.col("start") < end))
        if site is not None:
            chosen = chosen.where(F.col("visitor").startswith(f"{site}/"))
        ordered = chosen.orderBy(F.desc("start"), F.desc("id"))
        return (self._decoded(row) for row in ordered.toLocalIterator(prefetchPartitions=True))

    def sessions_of(self, visitors: set[str]) -> list[Found]:
        """All sessions of some visitors (as ``visitor_of``), and of others with their keys."""
        return [self._decoded(row) for row in _of(self._found, visitors)]

    def events_of(self, visitors: set[str]) -> Iterator[EnrichedEvent]:
        """All events of some visitors, which are worked through once more for it."""
        keys = self._rows.sparkSession.createDataFrame(
            [(visitor.encode(),) for visitor in sorted(visitors)], "key binary"
        )
        theirs = self._rows.join(F.broadcast(keys), "key", "left_semi")
        for row in recomputed(theirs, self._settings, "events").toLocalIterator():
            yield msgspec.json.decode(bytes(row.payload), type=EnrichedEvent)

    def _decoded(self, row: Any) -> Found:
        session = msgspec.json.decode(bytes(row.payload), type=SessionUpdate)
        # A file has no clock: all of it has happened.
        told = self._told.get(_partition(row.bucket), WATERMARK_END if self._settings.file else 0)
        return Found(session, told > session.expires + self._settings.rules.lateness)


def _of(results: DataFrame, visitors: set[str]) -> Iterator[Any]:
    names = results.sparkSession.createDataFrame(
        [(visitor,) for visitor in sorted(visitors)], "visitor string"
    )
    rows: Iterator[Any] = results.join(F.broadcast(names), "visitor", "left_semi").toLocalIterator()
    return rows


def _partition(bucket: int) -> int:
    return bucket // 2**20


def _told(rows: DataFrame, rules: Rules) -> dict[int, int]:
    """The watermark that each partition's clock has come to, from its last watermark record."""
    told = rows.where(F.col("watermark") != NO_WATERMARK)
    last = told.groupBy(F.expr("bucket div 1048576").alias("place")).agg(
        F.max_by(F.struct("watermark", "broker_time"), "offset").alias("last")
    )
    return {row.place: _moment(row.last, rules) for row in last.collect()}


def _moment(last: Any, rules: Rules) -> int:
    if last.watermark >= WATERMARK_END:
        return WATERMARK_END
    return clamp(last.watermark, last.broker_time, rules)[0] - rules.delay
