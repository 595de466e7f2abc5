"""A file's sessions as DataFrames: lines → events → buckets → sessions, rejects and counts.

Apart from the entry point, since Python workers can only import from modules, not from
``__main__``.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from time import time
from typing import Any

import msgspec
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts import WATERMARK_END, Tally, partition_key
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.file_arguments import FileError
from spark_jobs.files import FileOptions, Skipped, read_line
from spark_jobs.parse import Invalid, Record
from spark_jobs.results import RESULT_SCHEMA
from spark_jobs.rules import Rules

LINE_SCHEMA = "kind string, key binary, value binary, line long, time long"
TASKS = 8


class BatchSettings(msgspec.Struct, frozen=True):
    """What the Python workers need; travels to them with the functions."""

    rules: Rules
    geo_paths: tuple[str, ...]
    options: FileOptions


def read_lines(spark: SparkSession, file: Path, options: FileOptions) -> DataFrame:
    """(line from 1, value as bytes); a CSV's header line is left out."""
    if file.suffix == ".zst":
        raise FileError(f"{file}: unpack it first (`unzstd {file.name}`), Spark cannot")
    # One task reads, so that ids count lines; the work on them is then spread.
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(2**50))
    text = spark.read.text(str(file.resolve()), lineSep="\n")
    numbered = text.select(
        (F.monotonically_increasing_id() + 1).alias("line"), F.col("value").cast("binary")
    )
    if options.format == "csv":
        numbered = numbered.where("line > 1")
    return numbered.repartition(TASKS)


def with_events(lines: DataFrame, settings: BatchSettings) -> DataFrame:
    """Lines parsed to LINE_SCHEMA; ``kind`` is event, reject or skip."""
    options = settings.options

    def parse(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            pairs = zip(frame["value"].tolist(), frame["line"].tolist(), strict=True)
            rows = [_line_row(bytes(value), int(line), options) for value, line in pairs]
            yield pd.DataFrame(rows, columns=["kind", "key", "value", "line", "time"])

    return lines.select("value", "line").mapInPandas(parse, LINE_SCHEMA)


def _line_row(value: bytes, line: int, options: FileOptions) -> tuple[Any, ...]:
    outcome, event = read_line(value, line, options)
    if isinstance(outcome, Skipped):
        return ("skip", outcome.reason.encode(), b"", line, 0)
    if isinstance(outcome, Invalid):
        return ("reject", outcome.reason.encode(), outcome.detail.encode(), line, 0)
    key = partition_key(outcome.event.site_id, outcome.event.visitor_id)
    return ("event", key, event, line, outcome.time)


def sessions_of(lines: DataFrame, settings: BatchSettings, buckets: int) -> DataFrame:
    """Apply the bucket core to each bucket's lines, in order of the results."""
    bucketed = lines.withColumn("bucket", F.pmod(F.xxhash64("key"), F.lit(buckets)).cast("int"))

    def apply(key: tuple[Any, ...], frame: pd.DataFrame) -> pd.DataFrame:
        rows = list(_results(int(key[0]), frame, settings))
        return pd.DataFrame(rows, columns=["kind", "place", "payload"])

    results = bucketed.groupBy("bucket").applyInPandas(apply, RESULT_SCHEMA)
    return results.orderBy("kind", "place", "payload")


@lru_cache(maxsize=2)
def _job(settings: BatchSettings) -> Job:
    return Job(settings.rules, Enricher(settings.geo_paths), epoch=0)


def _results(
    number: int, frame: pd.DataFrame, settings: BatchSettings
) -> Iterator[tuple[str, int, bytes]]:
    events = frame[frame["kind"] == "event"].sort_values("line")
    yield from _passed_over(frame)
    bucket = Bucket(
        _job(settings), Source(settings.options.source, 0), number, None, int(time() * 1000)
    )
    apply_whole(bucket, events, ("key", "value", "line", "time"))
    for role, _key, value in bucket.messages:
        if role == "sessions":
            yield "session", msgspec.json.decode(value)["start"], value
    yield "tally", number, msgspec.json.encode(_with_all_lines(bucket.header.tally, frame))


def _passed_over(frame: pd.DataFrame) -> Iterator[tuple[str, int, bytes]]:
    for row in frame[frame["kind"] == "reject"].itertuples():
        yield "reject", int(row.line), bytes(row.key) + b"\t" + bytes(row.value)
    for reason, count in frame[frame["kind"] == "skip"]["key"].value_counts().items():
        yield "skip", int(count), bytes(reason)


def _with_all_lines(tally: Tally, frame: pd.DataFrame) -> Tally:
    rejected = int((frame["kind"] == "reject").sum())
    return msgspec.structs.replace(
        tally, requests=len(frame), dead_letters=tally.dead_letters + rejected
    )


def apply_whole(bucket: Bucket, frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Apply all of a bucket's rows at once, and a last watermark that makes all of it final.

    ``columns`` name key, value, offset and broker_time; the rows must be in offset order.
    """
    rows = zip(*(frame[name].tolist() for name in columns), strict=True)
    end = Record(key=None, value=b"", offset=2**62, broker_time=0, watermark=WATERMARK_END)
    bucket.apply([*(Record(*row) for row in rows), end])
