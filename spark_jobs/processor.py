"""The thin shell that lets Spark call the pure bucket core. No logic lives here."""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from time import time
from typing import Any

import msgspec
import pandas as pd

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

STATE_SCHEMA = "header binary, body binary"
OUTPUT_SCHEMA = "role int, key binary, value binary"
OUTPUT_ROLES = ("events", "sessions", "late-events", "dead-letters", "bucket-stats")
"""``role`` is an index into these: a number crosses to the JVM cheaper than a name."""

_ROLE_NUMBERS = {role: number for number, role in enumerate(OUTPUT_ROLES)}

Processor = Callable[[tuple[Any, ...], Iterable[pd.DataFrame], Any], Iterator[pd.DataFrame]]


class ProcessorSettings(msgspec.Struct, frozen=True):
    """What a Python worker needs to know; travels to it with the function.

    ``seeds``: the folder of what buckets without state begin with; see ``spark_jobs.seeds``.
    """

    rules: Rules
    geo_paths: tuple[str, ...]
    epoch: int
    topic_prefix: str
    seeds: str = ""


@lru_cache(maxsize=4)
def _job(settings: ProcessorSettings) -> Job:
    """Kept for the life of a worker, as opening MMDB files and filling caches costs time."""
    # The core makes many small objects and no cycles: looking for some took a tenth of its time.
    gc.set_threshold(100_000, 50, 100)
    return Job(settings.rules, Enricher(settings.geo_paths), settings.epoch)


def bucket_processor(settings: ProcessorSettings) -> Processor:
    """The function for ``applyInPandasWithState``, grouped by bucket."""

    def apply_bucket(
        key: tuple[Any, ...], frames: Iterable[pd.DataFrame], state: Any
    ) -> Iterator[pd.DataFrame]:
        place = int(key[0])
        source, number = place_of(place, settings.topic_prefix)
        bucket = Bucket(
            job=_job(settings),
            source=source,
            number=number,
            stored=state.get if state.exists else read_seed(settings.seeds, place),
            now=int(time() * 1000),
        )
        bucket.apply(records(frames))
        state.update(bucket.stored())
        if bucket.messages:
            roles, keys, values = zip(*bucket.messages, strict=True)
            numbers = [_ROLE_NUMBERS[role] for role in roles]
            yield pd.DataFrame({"role": numbers, "key": _column(keys), "value": _column(values)})

    return apply_bucket


def _column(values: Sequence[bytes]) -> pd.Series:
    """Named an object column, so that pandas does not look through it for dates."""
    return pd.Series(values, dtype=object)


def place_of(bucket: int, topic_prefix: str) -> tuple[Source, int]:
    """A bucket's topic and partition, and its number within the partition."""
    topic, rest = divmod(bucket, TOPIC_STEP)
    partition, number = divmod(rest, PARTITION_STEP)
    return Source(f"{topic_prefix}.{CLOCK_ROLES[topic]}", partition), number


def records(frames: Iterable[pd.DataFrame]) -> list[Record]:
    """A bucket's rows in offset order: Spark promises none within a group."""
    rows = [
        Record(key, value, offset, broker_time, None if mark == NO_WATERMARK else mark)
        for frame in frames
        for key, value, offset, broker_time, mark in zip(
            frame["key"].tolist(),
            frame["value"].tolist(),
            frame["offset"].tolist(),
            frame["broker_time"].tolist(),
            frame["watermark"].tolist(),
            strict=True,
        )
    ]
    rows.sort(key=lambda record: record.offset)
    return rows
