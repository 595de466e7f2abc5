"""Rows to buckets, and the stateful operator, in real Spark without Kafka."""

from datetime import UTC, datetime

import msgspec
import pytest
from pyspark.sql import Row, SparkSession

from contracts import WATERMARK_END, WATERMARK_START, SessionUpdate, WatermarkRecord
from contracts.kafka import KafkaSettings
from spark_jobs.pipeline import session_messages, with_bucket
from spark_jobs.processor import NO_WATERMARK, ProcessorSettings, place_of
from spark_jobs.rules import Rules
from tests.support.buckets import MMDB, BucketRun
from tests.support.job import ROOT
from tests.support.journey import HOUR, MINUTE, Journey, at, record_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TOPICS = ["t.requests", "t.replay"]
SOURCE = (
    "key binary, value binary, topic string, partition int, offset long, "
    "timestamp timestamp, timestampType int"
)
BUCKETS, SHARES = 8, 4


def row(offset, key, value, topic="t.requests", partition=1, time="2026-01-15 10:00:00"):
    moment = datetime.fromtimestamp(at(time) / 1000, UTC)
    return Row(key, value, topic, partition, offset, moment, 1)


def told(watermark, turn):
    return msgspec.json.encode(WatermarkRecord(watermark=watermark, turn=turn))


def buckets_of(spark: SparkSession, *rows):
    frame = with_bucket(spark.createDataFrame(rows, SOURCE), TOPICS, BUCKETS, SHARES)
    return [(place_of(r.bucket, "t"), r.watermark, r.offset) for r in frame.collect()]


def test_an_event_goes_to_one_bucket_of_its_partition(spark: SparkSession) -> None:
    found = buckets_of(spark, row(1, b"shop/ann", b"{}"), row(2, b"shop/ann", b"{}"))
    assert len({place for place, _, _ in found}) == 1
    ((source, number), watermark, _) = found[0]
    assert (source.topic, source.partition, watermark) == ("t.requests", 1, NO_WATERMARK)
    assert 0 <= number < BUCKETS


def test_a_watermark_record_wakes_its_turns_share(spark: SparkSession) -> None:
    found = buckets_of(spark, row(7, None, told(123, 5), topic="t.replay", partition=3))
    assert sorted(number for (_, number), _, _ in found) == [1, 5]
    assert {(s.topic, s.partition, mark) for (s, _), mark, _ in found} == {("t.replay", 3, 123)}


def test_the_shares_of_all_turns_are_all_buckets_once(spark: SparkSession) -> None:
    rows = [row(turn, None, told(1, turn)) for turn in range(SHARES)]
    numbers = [number for (_, number), _, _ in buckets_of(spark, *rows)]
    assert sorted(numbers) == list(range(BUCKETS))


@pytest.mark.parametrize("mark", [WATERMARK_START, WATERMARK_END])
def test_a_turn_of_minus_one_wakes_all(spark: SparkSession, mark: int) -> None:
    found = buckets_of(spark, row(0, None, told(mark, -1)))
    assert len(found) == BUCKETS
    assert {watermark for _, watermark, _ in found} == {mark}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, None),
        (None, b""),
        (None, b'{"watermark":'),
        (None, b'{"watermark":"x","turn":0}'),
        (None, b'{"watermark":12}'),
        (None, b'{"watermark":99999999999999999999,"turn":0}'),
        (None, b"\xff\xfe"),
        (b"shop/ann", told(1, 0)),
        (b"shop/ann", None),
    ],
)
def test_whatever_is_no_watermark_record_goes_to_one_bucket(spark, key, value) -> None:
    ((_, watermark, _),) = buckets_of(spark, row(0, key, value))
    assert watermark == NO_WATERMARK


def test_the_operator_does_what_the_pure_core_does(spark: SparkSession, tmp_path) -> None:
    """Three files, so three micro-batches, through state and back; one bucket for comparison."""
    journey = Journey("ann", "2026-01-15 10:00:00").view("/a").view("/b", after=20 * MINUTE)
    journey.view("/c", after=45 * MINUTE).view("/d", after=HOUR)
    events = [record_of(e, i) for i, e in enumerate(journey.events)]
    shuffled = [events[2], events[0], events[3], events[1], events[0]]
    rows = [row(i, r.key, r.value, time="2026-01-15 13:00:00") for i, r in enumerate(shuffled)]
    rows.append(row(5, None, told(WATERMARK_END, -1), time="2026-01-15 13:00:00"))
    for number in range(3):
        part = spark.createDataFrame(rows[number * 2 : number * 2 + 2], SOURCE)
        part.coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))
    processor = ProcessorSettings(Rules(), (str(ROOT / MMDB),), 7, "t")
    source = spark.readStream.schema(SOURCE).option("maxFilesPerTrigger", 1)
    messages = session_messages(
        source.parquet(str(tmp_path / "in")), KafkaSettings(topic_prefix="t"), processor, 1, 1
    )
    query = (
        messages.writeStream.format("memory")
        .queryName("out")
        .outputMode("update")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert query.lastProgress["batchId"] == 2
    values = [r.value for r in spark.table("out").where("topic = 't.sessions'").collect()]
    through_spark = BucketRun()
    through_spark.updates = [msgspec.json.decode(v, type=SessionUpdate) for v in values]
    pure = BucketRun().feed(msgspec.structs.replace(r, offset=i) for i, r in enumerate(shuffled))
    assert [
        (s.start, s.end, s.events, s.entry_page, s.exit_page)
        for s in sorted(through_spark.sessions().values(), key=lambda s: s.start)
    ] == [
        (s.start, s.end, s.events, s.entry_page, s.exit_page)
        for s in sorted(pure.sessions().values(), key=lambda s: s.start)
    ]
    assert {s.status for s in through_spark.sessions().values()} == {"final"}
    assert {s.epoch for s in through_spark.sessions().values()} == {7}
