"""``python -m spark_jobs.class_archive FILE``: write the JVM's class archive for Spark.

A JVM reads and verifies some ten thousand classes at each start of Spark, which takes several
seconds of two cores. An archive of them (application class data sharing, JEP 350) is mapped into
memory instead. What is in it is what was loaded here, so this runs Spark as the product does: the
session job's own query over made-up rows, Kafka's source and sink, and Parquet.
"""

import contextlib
import sys
import tempfile
from pathlib import Path

import msgspec
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from contracts.kafka import KafkaSettings
from spark_jobs.pipeline import session_messages
from spark_jobs.processor import ProcessorSettings
from spark_jobs.settings import JobSettings, load
from spark_jobs.spark import start_spark

BUCKETS = 4
EXIT_SECONDS = 120
NOBODY = "127.0.0.1:1"
"""No broker is here: classes are loaded just the same."""
_IMPATIENT = {
    "kafka.bootstrap.servers": NOBODY,
    "kafka.max.block.ms": "200",
    "kafka.request.timeout.ms": "200",
    "kafka.default.api.timeout.ms": "400",
    "fetchOffset.numRetries": "0",
}


def main(arguments: list[str]) -> int:
    """Write the archive named by the one argument; 1 when the JVM has not written it."""
    archive = Path(arguments[0]).absolute()
    job, _ = load()
    with tempfile.TemporaryDirectory() as folder:
        settings = msgspec.structs.replace(job, checkpoint=str(Path(folder, "checkpoint")))
        options = f"-XX:ArchiveClassesAtExit={archive} -Xlog:cds=off -Xlog:cds+dynamic=off"
        spark = start_spark("clickwake-classes", settings, "OFF", java_options=options)
        _exercise(spark, settings, Path(folder))
        _exit(spark)
    return 0 if archive.is_file() else 1


def _exercise(spark: SparkSession, settings: JobSettings, folder: Path) -> None:
    kafka = KafkaSettings(bootstrap_servers=NOBODY)
    processor = ProcessorSettings(settings.rules(), (), 1, kafka.topic_prefix)
    messages = session_messages(_requests(spark, kafka), kafka, processor, BUCKETS, 1)
    stream = messages.writeStream.format("noop").outputMode("update").trigger(availableNow=True)
    stream.option("checkpointLocation", settings.checkpoint).start().awaitTermination()
    records = spark.range(1000).select(F.col("id").cast("string").alias("value"))
    records.write.parquet(str(folder / "parquet"))
    spark.read.parquet(str(folder / "parquet")).orderBy("value").toPandas()
    for use in (_read_kafka, _write_kafka):
        with contextlib.suppress(PySparkException, Py4JError):
            use(spark, records)


def _requests(spark: SparkSession, kafka: KafkaSettings) -> DataFrame:
    """Rows as Kafka's source gives them. What they hold does not matter to the JVM."""
    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "1000").load()
    return rows.select(
        F.col("value").cast("string").cast("binary").alias("key"),
        F.lit(b"{}").alias("value"),
        F.lit(kafka.topic("requests")).alias("topic"),
        F.lit(0).alias("partition"),
        F.col("value").alias("offset"),
        F.col("timestamp"),
    )


def _read_kafka(spark: SparkSession, _: DataFrame) -> None:
    options = _IMPATIENT | {"subscribe": "nothing", "failOnDataLoss": "false"}
    spark.read.format("kafka").options(**options).load().count()


def _write_kafka(_: SparkSession, records: DataFrame) -> None:
    records.limit(1).write.format("kafka").options(**_IMPATIENT).option("topic", "nothing").save()


def _exit(spark: SparkSession) -> None:
    """Stop Spark, and wait for its JVM: it writes the archive when it ends."""
    gateway = spark.sparkContext._gateway
    spark.stop()
    if gateway is None:
        return
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(EXIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
