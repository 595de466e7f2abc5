"""The product's own query, run until it has read what is there; prints its progress as JSON."""

import json

from spark_jobs.pipeline import read_requests, session_messages, start_query
from spark_jobs.preflight import prepare
from spark_jobs.processor import ProcessorSettings
from spark_jobs.settings import load
from spark_jobs.spark import start_spark


def main() -> None:
    """Run to the end."""
    settings, kafka = load()
    manifest, start = prepare(settings, kafka)
    spark = start_spark("clickwake-benchmark", settings)
    processor = ProcessorSettings(
        settings.rules(), settings.geo_paths(), manifest.epoch, kafka.topic_prefix
    )
    requests = read_requests(spark, settings, kafka, start)
    messages = session_messages(
        requests, kafka, processor, manifest.per_partition, settings.wake_shares
    )
    query = start_query(messages, settings, kafka, until_caught_up=True)
    query.awaitTermination()
    print(json.dumps([json.loads(progress.json) for progress in query.recentProgress]))
    spark.stop()


if __name__ == "__main__":
    main()
