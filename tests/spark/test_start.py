"""What makes Spark start fast is in use: the class archive, and the daemon that imports first."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from infra.class_archive import ensure_archive, has_archive
from infra.jars import LOCALFS, SPARK, ensure_jars
from infra.java import find_java
from infra.paths import PROJECT
from tests.support.kafka import CACHE

pytestmark = pytest.mark.slow


def test_workers_are_forked_with_everything_imported(spark: SparkSession) -> None:
    def look(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for _ in frames:
            spawned = Path("/proc/self/cmdline").read_bytes().decode().split("\0")
            yield pd.DataFrame({"found": [f"{'spark_jobs.processor' in sys.modules} {spawned}"]})

    (row,) = spark.range(1).mapInPandas(look, "found string").collect()
    assert row.found.startswith("True")
    assert "spark_jobs.daemon" in row.found


PROGRAM = """
import sys
from spark_jobs.settings import JobSettings
from spark_jobs.spark import start_spark
start_spark("test", JobSettings(jars=sys.argv[1]), java_options=sys.argv[2]).range(9).count()
"""


def test_the_jvm_takes_sparks_classes_from_the_archive(tmp_path: Path) -> None:
    java = find_java()
    jars = ensure_jars(CACHE, java, sets=[SPARK, LOCALFS])
    ensure_archive(jars, java)
    loaded = tmp_path / "loaded.txt"
    log = f"-Xlog:class+load:file={loaded}"
    command = [sys.executable, "-c", PROGRAM, str(jars), log]
    environment = {**os.environ, "JAVA_HOME": str(java.home), "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "cds" not in done.stdout + done.stderr
    lines = [one for one in loaded.read_text().splitlines() if " org.apache.spark." in one]
    archived = sum("source: shared objects file" in one for one in lines)
    from_jars = sum(".jar" in one for one in lines)
    assert archived > 2000
    assert from_jars < archived / 20


def test_the_archive_is_made_again_for_other_jars(tmp_path: Path) -> None:
    java = find_java()
    assert not has_archive(tmp_path, java)
    (tmp_path / "classes").mkdir()
    (tmp_path / "classes" / "versions.txt").write_text("of another Java")
    assert not has_archive(tmp_path, java)
