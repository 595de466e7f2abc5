"""Without pandas at the workers' edge the operator answers what it answers with it."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import SparkSession

from contracts import WATERMARK_END
from infra.jars import LOCALFS, SPARK, ensure_jars
from infra.java import find_java
from infra.paths import PROJECT
from spark_jobs import arrow_edge
from tests.spark.edge_program import SOURCE
from tests.spark.test_operator import row, told
from tests.support.journey import MINUTE, Journey, record_of
from tests.support.kafka import CACHE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_both_edges_answer_the_same(spark: SparkSession, tmp_path: Path) -> None:
    """Three micro-batches, so state goes there and back; garbage and watermarks among them."""
    rows = []
    for number in range(40):
        journey = Journey(f"visitor-{number}", "2026-01-15 10:00:00").view("/a")
        journey.view("/b", after=number * MINUTE).view("/ü", after=50 * MINUTE)
        rows += [record_of(event, 0) for event in journey.events]
    values = [(one.key, one.value) for one in rows]
    values[7:7] = [(b"shop/x", None), (None, b"no event"), (b"\xff", b"{}")]
    values.append((None, told(WATERMARK_END, -1)))
    made = [row(i, key, value, time="2026-01-15 13:00:00") for i, (key, value) in enumerate(values)]
    for number in range(3):
        part = spark.createDataFrame(made[number * 42 : number * 42 + 42], SOURCE)
        part.coalesce(1).write.mode("append").parquet(str(tmp_path / "in"))

    ours, theirs = (answers(tmp_path, name) for name in ("spark_jobs.daemon", "pyspark.daemon"))

    assert len(ours) > 150
    assert ours == theirs


def answers(folder: Path, daemon: str) -> list[str]:
    java = find_java()
    jars = ensure_jars(CACHE, java, sets=[SPARK, LOCALFS])
    program = ["-m", "tests.spark.edge_program", str(jars), str(folder / "in")]
    done = subprocess.run(
        [sys.executable, *program, str(folder / daemon), daemon],
        env={**os.environ, "JAVA_HOME": str(java.home), "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return sorted(done.stdout.splitlines())


def test_it_is_for_the_spark_that_is_installed() -> None:
    assert pyspark.__version__ == arrow_edge.VERSION


def test_another_spark_keeps_its_own_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_edge, "VERSION", "4.3.0")
    before = pyspark.worker.wrap_grouped_map_pandas_udf_with_state
    assert not arrow_edge.install()
    assert pyspark.worker.wrap_grouped_map_pandas_udf_with_state is before


def test_the_shorter_side_is_filled_up() -> None:
    state = {"properties": "{}", "keyRowAsUnsafe": b"k", "object": None, "oldTimeoutTimestamp": -1}
    more_rows = arrow_edge.record_batch(([1, 0], [b"a", None], [b"x", b""]), [state])
    assert more_rows.to_pylist()[1] == {
        "_0": {"dataCount": 2, "stateCount": 1},
        "_1": {"role": 0, "key": None, "value": b""},
        "_2": dict.fromkeys(state),
    }
    more_states = arrow_edge.record_batch(([], [], []), [state, state])
    assert more_states.num_rows == 2
    assert more_states.column(1).type == arrow_edge.OUTPUT
    assert isinstance(more_states, pa.RecordBatch)
