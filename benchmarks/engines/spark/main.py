"""Spark's own ``session_window``, in append mode, with the RocksDB store and a checkpoint.

Does not: publish open sessions (append mode is all it has), report late events (it drops
them silently), look up addresses, write anything (the noop sink).
Close by itself when traffic ends: here the topic's watermark records carry the time to the end.
"""

import json
import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from task import report, spark_times, task

STATE = "spark.sql.streaming.stateStore"
BATCH = 400_000
END_MS = 4_102_444_800_000
"""2100: the watermark records' last word is beyond what Spark's timestamps hold."""


def session(asked):
    """The same tuning as Clickwake's job where it applies: local files, tasks, no page."""
    jars = Path(asked.jars)
    local = os.pathsep.join(map(str, jars.glob("localfs/*.jar")))
    options = {
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.jars": ",".join(map(str, jars.glob("spark/*.jar"))),
        "spark.driver.extraClassPath": local,
        "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
        "spark.sql.streaming.checkpointFileManagerClass": "org.apache.spark.sql.execution."
        "streaming.checkpointing.FileSystemBasedCheckpointFileManager",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        f"{STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state."
        "RocksDBStateStoreProvider",
        f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    }
    builder = SparkSession.builder.appName("peer").master("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def sessions(spark, asked):
    """(visitor_id, events, entry, exit), a row for each closed session."""
    source = {
        "kafka.bootstrap.servers": asked.bootstrap,
        "subscribe": asked.topic,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(BATCH),
    }
    record = F.from_json(
        F.col("value").cast("string"),
        "visitor_id string, event_time long, event_id string, kind string, path string, "
        "watermark long",
    )
    # A watermark record tells the time and belongs to no visitor.
    time = F.coalesce("event_time", F.greatest(F.lit(0), F.least("watermark", F.lit(END_MS))))
    is_page, order = F.col("kind") == "page", ("event_time", "event_id")
    return (
        spark.readStream.format("kafka").options(**source).load()
        .select(record.alias("record")).select("record.*")
        .select("visitor_id", "path", F.timestamp_millis(time).alias("time"),
                F.struct(~is_page, *order).alias("entry_order"),
                F.struct(is_page, *order).alias("exit_order"))
        .withWatermark("time", f"{asked.delay_ms} milliseconds")
        .groupBy("visitor_id", F.session_window("time", f"{asked.gap_ms} milliseconds"))
        .agg(F.count("visitor_id").alias("events"),
             F.min_by("path", "entry_order").alias("entry"),
             F.max_by("path", "exit_order").alias("exit"))
        # A condition on visitor_id would be pushed below the watermark, which then stands still.
        .where("events > 0")
    )  # fmt: skip


def main():
    """Run until all that is there is read; count what the sink would have got."""
    asked = task()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session(asked)
    spark.sparkContext.setLogLevel("ERROR")
    text = F.concat_ws(
        "|", "visitor_id", F.col("events").cast("string"), "entry", "exit", F.lit("")
    )
    counted = sessions(spark, asked).observe(
        "found",
        F.count(F.lit(1)).alias("sessions"),
        F.sum("events").alias("events"),
        F.sum(F.crc32(text.cast("binary"))).alias("checksum"),
    )
    query = (
        counted.writeStream.format("noop").outputMode("append").trigger(availableNow=True)
        .option("checkpointLocation", f"{asked.folder}/checkpoint").start()
    )  # fmt: skip
    query.awaitTermination()
    found = [one.observedMetrics["found"] for one in query.recentProgress if one.observedMetrics]
    progress = [json.loads(one.json) for one in query.recentProgress]
    names = ("sessions", "events", "checksum")
    sums = {name: sum(row[name] or 0 for row in found) for name in names}
    sums["checksum"] &= 0xFFFFFFFF
    report(found=sums, **spark_times(progress))
    spark.stop()


if __name__ == "__main__":
    main()
