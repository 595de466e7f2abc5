"""The product's own query, until it has read what is there, or for some seconds beyond.

``python -m benchmarks.catchup_job [SECONDS]`` prints its progress as JSON when it ends. With
SECONDS it goes on live for so long after its first micro-batch.
"""

import json
import sys
import time

from pyspark.sql.streaming import StreamingQuery

from spark_jobs.pipeline import read_requests, session_messages, start_query
from spark_jobs.preflight import prepare
from spark_jobs.processor import ProcessorSettings
from spark_jobs.settings import load
from spark_jobs.spark import start_spark


def main(seconds: float | None = None) -> None:
    """Run to the end."""
    settings, kafka = load()
    manifest, start = prepare(settings, kafka)
    spark = start_spark("clickwake-benchmark", settings)
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "10000")
    processor = ProcessorSettings(
        settings.rules(), settings.geo_paths(), manifest.epoch, kafka.topic_prefix
    )
    requests = read_requests(spark, settings, kafka, start)
    messages = session_messages(
        requests, kafka, processor, manifest.per_partition, settings.wake_shares
    )
    query = start_query(messages, settings, kafka, until_caught_up=seconds is None)
    if seconds is None:
        query.awaitTermination()
    else:
        _live(query, seconds)
    print(json.dumps([json.loads(progress.json) for progress in query.recentProgress]))
    spark.stop()


def _live(query: StreamingQuery, seconds: float) -> None:
    while query.lastProgress is None and query.isActive:
        time.sleep(0.05)
    query.awaitTermination(timeout=int(seconds))
    query.stop()


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else None)
