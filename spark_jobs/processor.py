"""The thin shell that lets Spark call the pure bucket core. No logic lives here."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from time import time
from typing import Any

import msgspec
import pandas as pd

from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.rules import Rules

NO_WATERMARK = -(2**62)
"""What the JVM sends in the watermark column of rows that are no watermark records."""

STATE_SCHEMA = "header binary, body binary"
OUTPUT_SCHEMA = "topic string, key binary, value binary"

Processor = Callable[[tuple[Any, ...], Iterable[pd.DataFrame], Any], Iterator[pd.DataFrame]]


class ProcessorSettings(msgspec.Struct, frozen=True):
    """What a Python worker needs to know; travels to it with the function."""

    rules: Rules
    geo_paths: tuple[str, ...]
    epoch: int
    topic_prefix: str


@lru_cache(maxsize=4)
def _job(settings: ProcessorSettings) -> Job:
    """Kept for the life of a worker, as opening MMDB files and filling caches costs time."""
    return Job(settings.rules, Enricher(settings.geo_paths), settings.epoch)


def bucket_processor(settings: ProcessorSettings) -> Processor:
    """The function for ``applyInPandasWithState``, grouped by topic, partition, bucket."""

    def apply_bucket(
        key: tuple[Any, ...], frames: Iterable[pd.DataFrame], state: Any
    ) -> Iterator[pd.DataFrame]:
        topic, partition, number = key
        bucket = Bucket(
            job=_job(settings),
            source=Source(topic, int(partition)),
            number=int(number),
            stored=state.get if state.exists else None,
            now=int(time() * 1000),
        )
        bucket.apply(records(frames))
        state.update(bucket.stored())
        if bucket.messages:
            roles, keys, values = zip(*bucket.messages, strict=True)
            topics = [f"{settings.topic_prefix}.{role}" for role in roles]
            yield pd.DataFrame({"topic": topics, "key": keys, "value": values})

    return apply_bucket


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
