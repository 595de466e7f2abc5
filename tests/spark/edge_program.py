"""Run the operator over a folder of Kafka-like rows with a worker daemon, print what it answers."""

import json
import sys

import spark_jobs.spark
from contracts.kafka import KafkaSettings
from spark_jobs.pipeline import session_messages
from spark_jobs.processor import ProcessorSettings
from spark_jobs.rules import Rules
from spark_jobs.settings import JobSettings

SOURCE = (
    "key binary, value binary, topic string, partition int, offset long, "
    "timestamp timestamp, timestampType int"
)


def main(jars: str, folder: str, checkpoint: str, daemon: str) -> None:
    """Groups and answers are larger than an Arrow batch, which has ten rows."""
    options = spark_jobs.spark._options
    spark_jobs.spark._options = lambda *given: (
        options(*given)
        | {
            "spark.python.daemon.module": daemon,
            "spark.sql.execution.arrow.maxRecordsPerBatch": "10",
        }
    )
    spark = spark_jobs.spark.start_spark("edge", JobSettings(jars=jars))
    source = spark.readStream.schema(SOURCE).option("maxFilesPerTrigger", 1).parquet(folder)
    processor = ProcessorSettings(Rules(), (), 7, "t")
    messages = session_messages(source, KafkaSettings(topic_prefix="t"), processor, 4, 1)
    query = (
        messages.writeStream.format("memory")
        .queryName("out")
        .outputMode("update")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    for row in spark.table("out").collect():
        value = _but_the_clock(json.loads(row.value))
        print(json.dumps([row.topic, row.key.decode(), value], sort_keys=True))


def _but_the_clock(message: dict[str, object]) -> dict[str, object]:
    return {
        name: _but_the_clock(value) if isinstance(value, dict) else value
        for name, value in message.items()
        if name != "processed_time"
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
