"""``python -m spark_jobs.stream``: the session job, until SIGTERM or SIGINT."""

import logging
import signal
import sys
from threading import Event
from types import FrameType

from kafka.errors import KafkaError
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql.streaming import StreamingQuery

from contracts import ContractError, logs
from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds
from spark_jobs.barring import read_bars
from spark_jobs.checkpoint import CheckpointError, Offsets
from spark_jobs.clock import LiveClock
from spark_jobs.pipeline import read_requests, session_messages, start_query
from spark_jobs.preflight import JobError, prepare
from spark_jobs.processor import ProcessorSettings
from spark_jobs.seeds import seeds_folder
from spark_jobs.settings import JobSettings, load
from spark_jobs.spark import cause, reading_checkpoint, start_spark
from spark_jobs.status import LOG_FIELDS, StatusReporter, report_problem

log = logging.getLogger("spark_jobs")


NEEDS_A_PERSON = 78
"""The exit status when another start would end the same way (EX_CONFIG of sysexits.h)."""


def main() -> int:
    """Run the job; 0 after a clean stop, else not 0 and one sentence in the log."""
    # It logs every attempt to connect; what matters of it is said once by us.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    try:
        logs.configure("job", fields=LOG_FIELDS)
        return _run(*load())
    except ContractError as error:
        log.error("%s", error)
        return NEEDS_A_PERSON


def _run(settings: JobSettings, kafka: KafkaSettings) -> int:
    try:
        run(settings, kafka)
    except CheckpointError as error:
        report_problem(kafka, str(error))
        log.error("%s", error)
        return NEEDS_A_PERSON
    except (JobError, KafkaError) as error:
        log.error("%s", error)
        return 1
    except (PySparkException, Py4JJavaError) as error:
        log.error("the session job failed: %s", cause(error))
        log.debug("in full:", exc_info=True)
        return 1
    return 0


def run(settings: JobSettings, kafka: KafkaSettings) -> None:
    """Run until a signal asks to stop or the query fails."""
    stopping = Event()
    _stop_on_signals(stopping)
    manifest, start = prepare(settings, kafka)
    LOG_FIELDS["epoch"] = manifest.epoch
    spark = start_spark("clickwake-sessions", settings)
    processor = ProcessorSettings(
        settings.rules(),
        settings.geo_paths(),
        manifest.epoch,
        kafka.topic_prefix,
        seeds_folder(settings.checkpoint),
        _places(manifest.retold or {}),
        read_bars(kafka),
    )
    requests = read_requests(spark, settings, kafka, start)
    messages = session_messages(
        requests, kafka, processor, manifest.per_partition, settings.wake_shares
    )
    with reading_checkpoint(settings.checkpoint):
        query = start_query(messages, settings, kafka)
    reporter = StatusReporter(query, kafka, manifest.epoch, settings.geo_paths())
    clock = LiveClock(
        kafka,
        milliseconds(settings.watermark_interval),
        settings.wake_shares,
        reporter.records_read,
        reporter.tick,
    )
    clock.start()
    log.info("epoch %d, %d buckets a partition", manifest.epoch, manifest.per_partition)
    try:
        with reading_checkpoint(settings.checkpoint):
            _await(query, stopping)
    finally:
        clock.stop()
        query.stop()
        spark.stop()


def _places(offsets: Offsets) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        (topic, int(partition), offset)
        for topic, partitions in offsets.items()
        for partition, offset in partitions.items()
    )


def _await(query: StreamingQuery, stopping: Event) -> None:
    """Wait in short steps, as a signal handler runs only between them."""
    while not stopping.is_set():
        if query.awaitTermination(timeout=1):
            return


def _stop_on_signals(stopping: Event) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


if __name__ == "__main__":
    sys.exit(main())
