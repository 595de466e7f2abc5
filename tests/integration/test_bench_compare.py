"""The side-by-side comparison, whole, with two cheap engines and a small topic."""

from pathlib import Path

import msgspec
import pytest

from benchmarks.compare.engines import chosen
from benchmarks.compare.main import main
from benchmarks.compare.results import Comparison
from benchmarks.workload import Workload

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_two_engines_find_the_known_sessions(tmp_path: Path) -> None:
    main(Workload(5_000, 250), 1, chosen("polars,spark"), limit=240, out=tmp_path)
    found = msgspec.json.decode((tmp_path / "results.json").read_bytes(), type=Comparison)
    assert [(one.engine, one.failure, one.right) for one in found.rounds] == [
        ("polars", None, True),
        ("spark", None, True),
    ]
    assert all(one.cpu_s > 0 and one.memory_mb > 0 and one.per_s > 0 for one in found.rounds)
    assert found.missing == []
    assert "| Spark session_window | 5,000 |" in (tmp_path / "table.md").read_text()
    assert (tmp_path / "plot.svg").read_text().startswith("<svg")
