"""A checkpoint's state as DataFrames, and its visitors by the bucket they will be in."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts import partition_key
from spark_jobs.packing import Visitors, unpack
from spark_jobs.processor import PARTITION_STEP, TOPIC_STEP
from spark_jobs.seeds import Basis, rebased, seed

VISITOR_SCHEMA = "bucket long, route binary, key binary, due long, packed binary"
"""``route`` is the Kafka key of the visitor's records."""
SEED_SCHEMA = "bucket long, header binary, body binary"


def read_state(spark: SparkSession, checkpoint: Path, batch: int) -> DataFrame:
    """(bucket, header, body) as they were after this batch."""
    # The reader asks a coordinator that only a session that has thought of streams has.
    _ = spark.streams
    frame = spark.read.format("statestore").option("batchId", batch).load(str(checkpoint))
    return frame.select("key.bucket", "value.groupState.header", "value.groupState.body")


def with_visitors(state: DataFrame, *, rebase: bool) -> DataFrame:
    """VISITOR_SCHEMA: one row a visitor, ``bucket`` still the old one."""

    def visitors(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            for bucket, body in zip(frame["bucket"].tolist(), frame["body"].tolist(), strict=True):
                rows = [
                    (bucket, route_of(key), key.encode(), due, rebased(state) if rebase else state)
                    for key, (due, state) in unpack(bytes(body)).items()
                ]
                yield pd.DataFrame(rows, columns=["bucket", "route", "key", "due", "packed"])

    return state.select("bucket", "body").mapInPandas(visitors, VISITOR_SCHEMA)


def route_of(key: str) -> bytes:
    return partition_key(*key.split("/", 1))


def in_new_buckets(
    visitors: DataFrame, buckets: int, partition_of: Callable[[bytes], int] | None
) -> DataFrame:
    """The same with the new bucket's number, as ``with_bucket`` numbers them.

    ``buckets`` is per partition. ``partition_of`` is the producers' partitioner for topics with
    another number of partitions; None keeps each visitor in its partition.
    """
    topic = F.floor(F.col("bucket") / TOPIC_STEP) * TOPIC_STEP
    partition = F.floor(F.col("bucket") % TOPIC_STEP / PARTITION_STEP)
    if partition_of is not None:
        partition = F.pandas_udf(_column(partition_of), "int")("route")
    number = F.pmod(F.xxhash64("route"), F.lit(buckets))
    new = (topic + partition * PARTITION_STEP + number).cast("long")
    return visitors.withColumn("bucket", new)


def _column(partition_of: Callable[[bytes], int]) -> Callable[[pd.Series], pd.Series]:
    def apply(keys: pd.Series) -> pd.Series:
        return pd.Series([partition_of(bytes(key)) for key in keys.tolist()], dtype="int32")

    return apply


def seeds_of(visitors: DataFrame, bases: dict[int, Basis]) -> DataFrame:
    """SEED_SCHEMA of every bucket that has visitors.

    ``bases`` maps a partition's first bucket to what its buckets begin with.
    """

    def grow(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
        bucket = int(key[0])
        first = bucket - bucket % PARTITION_STEP
        stored = seed(_visitors(frame), bases[first], is_first=bucket == first)
        return pd.DataFrame([(bucket, *stored)], columns=["bucket", "header", "body"])

    return visitors.groupBy("bucket").applyInPandas(grow, SEED_SCHEMA)


def _visitors(frame: pd.DataFrame) -> Visitors:
    columns = (frame[name].tolist() for name in ("key", "due", "packed"))
    return {
        bytes(key).decode(): (int(due), bytes(packed))
        for key, due, packed in zip(*columns, strict=True)
    }
