"""The stories of tests/support/stories.py through real Spark, in batches of any size."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from contracts import DeadLetter, LateEvent, SessionUpdate, WatermarkRecord
from contracts.kafka import KafkaSettings
from spark_jobs.file_sessions import BatchSettings, read_lines, sessions_of, with_events
from spark_jobs.files import FileOptions
from spark_jobs.parse import Record
from spark_jobs.pipeline import session_messages
from spark_jobs.processor import ProcessorSettings
from tests.support.buckets import MMDB, BucketRun
from tests.support.job import ROOT, latest_sessions
from tests.support.stories import DEAD, LATE, RULES, stories

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SOURCE = (
    "key binary, value binary, topic string, partition int, offset long, "
    "timestamp timestamp, timestampType int"
)
PARTITIONS, USED = 6, 3
TYPES = {"sessions": SessionUpdate, "late-events": LateEvent, "dead-letters": DeadLetter}


def row(record: Record, partition: int) -> Row:
    value = record.value
    if record.watermark is not None:
        value = msgspec.json.encode(WatermarkRecord(watermark=record.watermark, turn=-1))
    moment = datetime.fromtimestamp(min(record.broker_time, 2**41) / 1000, UTC)
    return Row(record.key, value, "t.requests", partition, record.offset, moment, 1)


def rows_of(records: list[Record]) -> list[Row]:
    """Events are in one partition, the clock is told to all six."""
    return [
        row(record, partition)
        for record in records
        for partition in (range(PARTITIONS) if record.watermark is not None else [USED])
    ]


class Stream:
    """A query that may end after any batch and go on from its checkpoint."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.files = 0

    def write(self, records: list[Record]) -> None:
        """A file each, so a micro-batch each."""
        part = self.spark.createDataFrame(rows_of(records), SOURCE).coalesce(1)
        part.write.mode("append").parquet(str(self.folder / "in"))
        self.files += 1

    def run(self) -> None:
        """Apply what was written since, and end."""
        source = self.spark.readStream.schema(SOURCE).option("maxFilesPerTrigger", 1)
        messages = session_messages(
            source.parquet(str(self.folder / "in")),
            KafkaSettings(topic_prefix="t"),
            ProcessorSettings(RULES, (str(ROOT / MMDB),), 1, "t"),
            buckets=4,
            shares=2,
        )
        query = (
            messages.writeStream.foreachBatch(self._keep)
            .outputMode("update")
            .option("checkpointLocation", str(self.folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        assert query.lastProgress["batchId"] == self.files - 1

    def _keep(self, messages: DataFrame, batch: int) -> None:
        messages.write.mode("overwrite").parquet(str(self.folder / "out" / str(batch)))

    def published(self, role: str) -> list:
        """All messages of a topic."""
        out = self.spark.read.parquet(str(self.folder / "out" / "*"))
        values = [r.value for r in out.where(f"topic = 't.{role}'").collect()]
        return [unclocked(msgspec.json.decode(value, type=TYPES[role])) for value in values]


def unclocked(message):
    """Without what may differ: when it was processed, and the partition of the pure run."""
    if isinstance(message, LateEvent):
        plain = msgspec.structs.replace(message.event, processed_time=0, partition=USED)
        return msgspec.structs.replace(message, event=plain)
    if isinstance(message, DeadLetter):
        return msgspec.structs.replace(message, processed_time=0, partition=USED)
    return msgspec.structs.replace(message, processed_time=0)


@pytest.fixture(scope="module")
def pure() -> BucketRun:
    return BucketRun(RULES).feed(stories())


def test_the_stories_are_what_they_are_meant_to_be(pure: BucketRun) -> None:
    assert {late.event.event_id for late in pure.late} == LATE
    assert len(pure.dead) == DEAD
    assert pure.tally.cut == 3
    assert pure.tally.duplicates == 2
    found = {(s.entry_page, s.events) for s in pure.sessions().values()}
    assert {("/bridge-a", 3), ("/midnight-a", 2), ("/boundary-a", 2), ("/tie-a", 3)} <= found
    assert {("/checkout/pay", 3), ("/checkout", 2), ("/rename-a", 2), ("/full-0", 6)} <= found
    flags = {s.entry_page: s.flags for s in pure.sessions().values() if s.flags}
    assert flags == {
        "/future-a": ["clock_clamped"],
        "/flood-1": ["thinned"],
        "/full-0": ["cut_count"],
    }


@pytest.mark.parametrize("sizes", [[100], [1, 9, 5, 11, 100], [20, 3, 100]])
def test_any_batches_and_restarts_end_as_the_pure_core_does(
    spark: SparkSession, tmp_path: Path, pure: BucketRun, sizes: list[int]
) -> None:
    stream, rest = Stream(spark, tmp_path), stories()
    for number, size in enumerate(sizes):
        stream.write(rest[:size])
        rest = rest[size:]
        if number % 2 == 0:
            stream.run()
    if len(sizes) % 2 == 0:
        stream.run()
    assert latest_sessions(stream.published("sessions")) == pure.sessions()
    late = sorted(stream.published("late-events"), key=lambda each: each.event.offset)
    assert late == [unclocked(each) for each in pure.late]
    dead = sorted(stream.published("dead-letters"), key=lambda each: each.offset)
    assert dead == [unclocked(each) for each in pure.dead]


def test_the_batch_job_finds_the_same_sessions_in_a_file_of_what_was_accepted(
    spark: SparkSession, tmp_path: Path, pure: BucketRun
) -> None:
    by_offset = {record.offset: record for record in stories()}
    lines = []
    for event in sorted(pure.events, key=lambda event: event.event_id):
        whole = msgspec.json.decode(by_offset[event.offset].value)
        lines.append(msgspec.json.encode(whole | {"event_time": event.event_time}))
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join(lines) + b"\n")
    options = FileOptions(
        format="jsonl", identity="column", count="all", site_id="shop", source=file.name
    )
    settings = BatchSettings(RULES, (str(ROOT / MMDB),), options)
    rows = sessions_of(with_events(read_lines(spark, file, options), settings), settings, 5)
    found = [
        msgspec.json.decode(r.payload, type=SessionUpdate)
        for r in rows.collect()
        if r.kind == "session"
    ]
    assert {s.session_id: essence(s) for s in found} == {
        key: essence(s) for key, s in pure.sessions().items()
    }


def essence(session: SessionUpdate) -> SessionUpdate:
    """Without what tells of the reading, and of Kafka's clock, which a file has none of."""
    flags = [flag for flag in session.flags if flag != "clock_clamped"]
    return msgspec.structs.replace(
        session, epoch=0, revision=0, processed_time=0, broker_time=0, flags=flags
    )
