"""The streaming query: one read, one stateful operator, one sink.

Kafka's rows → buckets (JVM) → parse, deduplicate, enrich, sessionize (Python) → all topics.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from contracts import WATERMARK_END
from contracts.kafka import KafkaSettings
from contracts.topics import MAX_RECORD_BYTES
from spark_jobs.processor import (
    CLOCK_ROLES,
    NO_WATERMARK,
    OUTPUT_ROLES,
    OUTPUT_SCHEMA,
    PARTITION_STEP,
    STATE_SCHEMA,
    TOPIC_STEP,
    ProcessorSettings,
    bucket_processor,
)
from spark_jobs.settings import JobSettings

WATERMARK_PREFIX = '{"watermark":'


def read_requests(
    spark: SparkSession, settings: JobSettings, kafka: KafkaSettings, start: str = "earliest"
) -> DataFrame:
    """The request topics as a stream. ``start`` is where a new checkpoint begins, in Spark's form.

    A checkpoint that has offsets goes on from those.
    """
    topics = ",".join(kafka.topic(role) for role in CLOCK_ROLES)
    options = kafka.spark_options() | {
        "subscribe": topics,
        "startingOffsets": start,
        "maxOffsetsPerTrigger": str(settings.max_records_per_batch),
        "kafka.max.partition.fetch.bytes": str(MAX_RECORD_BYTES),
        "kafka.fetch.max.wait.ms": "20",
        "kafkaConsumer.pollTimeoutMs": "30000",
    }
    return spark.readStream.format("kafka").options(**options).load()


def with_bucket(requests: DataFrame, topics: Sequence[str], buckets: int, shares: int) -> DataFrame:
    """One row a bucket that must see the record: events one, watermark records a share.

    ``buckets`` is per partition. Only records without a key are looked into. A bucket is one
    number, see ``place_of``: sorting rows by one number is what Spark does fastest.
    """
    text = F.col("value").cast("string")
    looks_like_one = F.col("key").isNull() & text.startswith(WATERMARK_PREFIX)
    marked = requests.withColumn("watermark", _when(looks_like_one, _number("watermark")))
    turned = marked.withColumn("turn", _when(F.col("watermark").isNotNull(), _number("turn")))
    known = turned.withColumn(
        "watermark",
        F.when(F.col("turn").isNotNull(), F.col("watermark")).otherwise(F.lit(NO_WATERMARK)),
    )
    own = F.array(F.pmod(F.xxhash64("key"), F.lit(buckets)).cast("int"))
    topic = F.array_position(F.array(*map(F.lit, topics)), F.col("topic")) - 1
    first = topic * TOPIC_STEP + F.col("partition") * PARTITION_STEP
    spread = known.withColumn("place", F.explode(F.coalesce(_woken(buckets, shares), own)))
    return spread.select(
        (first + F.col("place")).alias("bucket"),
        "key",
        "value",
        "offset",
        F.unix_millis("timestamp").alias("broker_time"),
        "watermark",
    )


def _when(condition: Column, value: Column) -> Column:
    return F.when(condition, value)


def _number(field: str) -> Column:
    # Ids and times beyond 2^53 would not survive JSON readers, so none are accepted.
    text = F.get_json_object(F.col("value").cast("string"), f"$.{field}")
    number = text.try_cast("bigint")
    return F.when(F.abs(number) <= WATERMARK_END, number)


def _woken(buckets: int, shares: int) -> Column:
    """The buckets that a watermark record wakes, or null for other records."""
    turn = F.col("turn")
    every = F.sequence(F.lit(0), F.lit(buckets - 1))
    share = F.filter(every, lambda bucket: bucket % shares == turn % shares)
    return F.when(turn < 0, every).when(turn >= 0, share)


def session_messages(
    requests: DataFrame,
    kafka: KafkaSettings,
    processor: ProcessorSettings,
    buckets: int,
    shares: int,
) -> DataFrame:
    """(topic, key, value) of everything that the requests give rise to, for Kafka's sink.

    ``buckets`` is per partition; a watermark record wakes one of ``shares`` shares of them.
    """
    sources = [kafka.topic(role) for role in CLOCK_ROLES]
    bucketed = with_bucket(requests, sources, buckets, shares)
    messages = bucketed.groupBy("bucket").applyInPandasWithState(
        bucket_processor(processor),
        outputStructType=OUTPUT_SCHEMA,
        stateStructType=STATE_SCHEMA,
        outputMode="update",
        timeoutConf="NoTimeout",
    )
    topics = F.array(*(F.lit(kafka.topic(role)) for role in OUTPUT_ROLES))
    return messages.select(F.get(topics, "role").alias("topic"), "key", "value")


def start_query(
    messages: DataFrame,
    settings: JobSettings,
    kafka: KafkaSettings,
    *,
    until_caught_up: bool = False,
) -> StreamingQuery:
    """Start the query; every output goes through its one sink and one checkpoint.

    With ``until_caught_up`` it ends by itself once it has read what was there at its start.
    """
    options = kafka.spark_options() | {
        "kafka.acks": "all",
        "kafka.compression.type": "zstd",
        "kafka.linger.ms": "1",
        "kafka.max.request.size": str(MAX_RECORD_BYTES),
        "checkpointLocation": settings.checkpoint,
    }
    writer = messages.writeStream.format("kafka").outputMode("update").queryName("sessions")
    if until_caught_up:
        writer = writer.trigger(availableNow=True)
    return writer.options(**options).start()
