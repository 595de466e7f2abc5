"""The thin shell that lets Spark call the pure bucket core. No logic lives here."""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from time import time
from typing import Any, TypeAlias

import msgspec
import pandas as pd

from contracts import Barred
from contracts.erasures import Bar
from contracts.topics import TOPICS
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.rules import Rules
from spark_jobs.seeds import read_seed

NO_WATERMARK = -(2**62)
"""What the JVM sends in the watermark column of rows that are no watermark records."""

CLOCK_ROLES = tuple(topic.role for topic in TOPICS if topic.clock)
"""The request topics, in the order that numbers them within a bucket's number."""
TOPIC_STEP, PARTITION_STEP = 2**40, 2**20

RECORD_COLUMNS = ("key", "value", "offset", "broker_time", "watermark")
STATE_SCHEMA = "header binary, body binary"
OUTPUT_SCHEMA = "role int, key binary, value binary"
OUTPUT_ROLES = ("events", "sessions", "late-events", "dead-letters", "bucket-stats")
"""``role`` is an index into these: a number crosses to the JVM cheaper than a name."""

_ROLE_NUMBERS = {role: number for number, role in enumerate(OUTPUT_ROLES)}

Columns = Mapping[str, list[Any]]
Chunk: TypeAlias = "pd.DataFrame | Columns"
"""Rows of a group: a column for each of RECORD_COLUMNS."""
Processor = Callable[[tuple[Any, ...], Iterable[Chunk], Any], Iterator[Any]]


class ProcessorSettings(msgspec.Struct, frozen=True):
    """What a Python worker needs to know; travels to it with the function.

    ``seeds``: the folder of what buckets without state begin with; see ``spark_jobs.seeds``.
    ``retold``: (topic, partition, offset) of the manifest's ``retold``. ``bars``: who is erased.
    """

    rules: Rules
    geo_paths: tuple[str, ...]
    epoch: int
    topic_prefix: str
    seeds: str = ""
    retold: tuple[tuple[str, int, int], ...] = ()
    bars: tuple[Bar, ...] = ()


@lru_cache(maxsize=4)
def _job(settings: ProcessorSettings) -> Job:
    """Kept for the life of a worker, as opening MMDB files and filling caches costs time."""
    # The core makes many small objects and no cycles: looking for some took a tenth of its time.
    gc.set_threshold(100_000, 50, 100)
    retold = {(topic, partition): offset for topic, partition, offset in settings.retold}
    barred = Barred(settings.bars)
    return Job(settings.rules, Enricher(settings.geo_paths), settings.epoch, retold, barred)


def bucket_processor(settings: ProcessorSettings) -> Processor:
    """The function for ``applyInPandasWithState``, grouped by bucket.

    It answers data frames with data frames and, for ``arrow_edge``, lists with lists.
    """

    def apply_bucket(key: tuple[Any, ...], chunks: Iterable[Chunk], state: Any) -> Iterator[Any]:
        place = int(key[0])
        source, number = place_of(place, settings.topic_prefix)
        bucket = Bucket(
            job=_job(settings),
            source=source,
            number=number,
            stored=state.get if state.exists else read_seed(settings.seeds, place),
            now=int(time() * 1000),
        )
        read = list(chunks)
        bucket.apply(records(map(_columns, read)))
        state.update(bucket.stored())
        if bucket.messages:
            roles, keys, values = zip(*bucket.messages, strict=True)
            rows = [_ROLE_NUMBERS[role] for role in roles], list(keys), list(values)
            yield _frame(*rows) if isinstance(read[0], pd.DataFrame) else rows

    return apply_bucket


def _columns(chunk: Chunk) -> Columns:
    if isinstance(chunk, pd.DataFrame):
        return {name: chunk[name].tolist() for name in RECORD_COLUMNS}
    return chunk


def _frame(roles: list[int], keys: list[bytes], values: list[bytes]) -> pd.DataFrame:
    return pd.DataFrame({"role": roles, "key": _column(keys), "value": _column(values)})


def _column(values: Sequence[bytes]) -> pd.Series:
    """Named an object column, so that pandas does not look through it for dates."""
    return pd.Series(values, dtype=object)


def place_of(bucket: int, topic_prefix: str) -> tuple[Source, int]:
    """A bucket's topic and partition, and its number within the partition."""
    topic, rest = divmod(bucket, TOPIC_STEP)
    partition, number = divmod(rest, PARTITION_STEP)
    return Source(f"{topic_prefix}.{CLOCK_ROLES[topic]}", partition), number


def records(chunks: Iterable[Columns]) -> list[Record]:
    """A bucket's rows in offset order: Spark promises none within a group."""
    rows = [
        Record(key, value, offset, broker_time, None if mark == NO_WATERMARK else mark)
        for chunk in chunks
        for key, value, offset, broker_time, mark in zip(
            *(chunk[name] for name in RECORD_COLUMNS), strict=True
        )
    ]
    rows.sort(key=lambda record: record.offset)
    return rows
