"""The Spark session, set up for this job's needs."""

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_jobs.checkpoint import unusable
from spark_jobs.settings import JobSettings

PACKAGE_ROOT = Path(__file__).resolve().parent.parent

CLASS_ARCHIVE = Path("classes", "spark.jsa")
"""Where the archive of Spark's classes is in the folder of jars; see ``class_archive``."""
LOG4J = PACKAGE_ROOT / "spark_jobs" / "log4j2.properties"

_STATE = "spark.sql.streaming.stateStore"
_LOADING = "CANNOT_LOAD_STATE_STORE"
_SIGNS = (
    _LOADING,
    "Checksum error",
    "Failed to read log file",
    "Incomplete log file",
    "STREAMING_CHECKPOINT_MISSING_METADATA_FILE",
    "FileNotFoundException",
    "does not exist",
)


def start_spark(
    name: str, settings: JobSettings, log_level: str = "WARN", *, java_options: str = ""
) -> SparkSession:
    """A session on ``settings.master`` whose Python workers are this interpreter.

    ``log_level`` is that of Spark's own log on stderr; ``java_options`` come after our own.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # Workers decode into classes of these packages, so they must be able to import them.
    paths = [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    builder = SparkSession.builder.appName(name).master(settings.master)
    for key, value in _options(settings, java_options).items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel(log_level)
    logging.getLogger("py4j").setLevel(logging.WARNING)
    return spark


def _options(settings: JobSettings, java_options: str) -> dict[str, str]:
    jars = Path(settings.jars) if settings.jars else None
    java = ["-XX:+UseSerialGC", f"-Dlog4j2.configurationFile={LOG4J}"]
    options = {
        "spark.driver.memory": settings.driver_memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": " ".join([*java, *_archive(jars), java_options]),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Kept for a page that is switched off, and a thousand micro-batches of it add up.
        "spark.ui.retainedJobs": "10",
        "spark.ui.retainedStages": "20",
        "spark.ui.retainedTasks": "100",
        "spark.sql.ui.retainedExecutions": "5",
        "spark.sql.shuffle.partitions": str(settings.shuffle_partitions),
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.locality.wait": "0",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "5000",
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.daemon.module": "spark_jobs.daemon",
        "spark.sql.streaming.pollingDelay": settings.polling_delay,
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        "spark.sql.streaming.minBatchesToRetain": "20",
        f"{_STATE}.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
        f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
        f"{_STATE}.maintenanceInterval": "30s",
    }
    return options | _jar_options(jars, is_local=settings.master.startswith("local"))


def _archive(jars: Path | None) -> list[str]:
    """The class archive, where one was made. A JVM that it does not fit starts without it."""
    archive = jars / CLASS_ARCHIVE if jars else None
    if archive is None or not archive.is_file():
        return []
    return [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]


def _jar_options(jars: Path | None, *, is_local: bool) -> dict[str, str]:
    """Class path and, for local checkpoints, a file system that needs no forked chmod."""
    if jars is None:
        return {}
    kafka, local = (_jars(jars, name) for name in ("spark", "localfs"))
    # Other machines are sent them. Here they stand on the class path: the archive holds no others.
    options = {} if is_local else {"spark.jars": ",".join(kafka)}
    options["spark.driver.extraClassPath"] = os.pathsep.join([*local, *(kafka if is_local else ())])
    if local:
        options |= {
            "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
            "spark.sql.streaming.checkpointFileManagerClass": (
                "org.apache.spark.sql.execution.streaming.checkpointing."
                "FileSystemBasedCheckpointFileManager"
            ),
        }
    return options


def _jars(folder: Path, name: str) -> list[str]:
    return [str(jar) for jar in sorted(folder.glob(f"{name}/*.jar"))]


def cause(error: PySparkException | Py4JJavaError) -> str:
    """One sentence out of Spark's many lines: a Python worker's exception, or the first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "Python worker" in lines[0]:
        raised = (line for line in lines[1:] if re.match(r"[A-Za-z_.]+(Error|Exception)\b", line))
        return next(raised, lines[0])
    if isinstance(error, Py4JJavaError) and len(lines) > 1:
        return lines[1].removeprefix(": ")
    return lines[0]


@contextmanager
def reading_checkpoint(checkpoint: str) -> Iterator[None]:
    """What Spark raises about the checkpoint's files becomes a CheckpointError."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        why = _unreadable(str(error), checkpoint)
        if why is None:
            raise
        raise unusable(checkpoint, why) from error


def _unreadable(text: str, checkpoint: str) -> str | None:
    """The line that says which of the checkpoint's files Spark could not read, if it is that."""
    lines = [line.strip() for line in text.splitlines()]
    named = (line for line in lines if checkpoint in line or _LOADING in line)
    found = next((line for line in named if any(sign in line for sign in _SIGNS)), None)
    if found is None:
        return None
    return re.sub(r"^.*?terminated with exception: |\s*SQLSTATE: \w+", "", found)[:300]
