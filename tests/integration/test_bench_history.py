"""The history benchmark, whole, with few sessions, on both databases."""

import json
from pathlib import Path

import pytest

from benchmarks.history.main import main
from benchmarks.history.results import Asked, Loaded, Stored
from tests.support.postgres import private_postgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture(autouse=True)
def _postgres() -> None:
    """Installed, or the test is skipped."""
    with private_postgres():
        pass


def test_both_databases_store_and_answer(tmp_path: Path) -> None:
    results = main(2_000, ["sqlite", "postgresql"], 0.1, 1, tmp_path)
    written = {
        "sqlite": ["write", "updates"],
        "postgresql": ["write", "updates", "plain"],
    }
    for database in ("sqlite", "postgresql"):
        mine = [one for one in results if one.database == database]
        stored = [one for one in mine if isinstance(one, Stored)]
        asked = [one for one in mine if isinstance(one, Asked)]
        assert sum(one.updates for one in stored if one.part == "fill") == 2_000
        assert [one.part for one in stored] == ["fill"] * 10 + written[database]
        assert len(asked) == 9 + 9 + 3
        assert all(one.failures == 0 and 0 < one.p50_ms <= one.longest_ms for one in asked)
    kept = json.loads((tmp_path / "results.json").read_text())
    assert len(kept["results"]) == len(results)
    assert (tmp_path / "table.md").read_text().startswith("| what | SQLite | PostgreSQL |")


def test_both_databases_answer_from_months_of_history(tmp_path: Path) -> None:
    results = main(600, ["sqlite", "postgresql"], 0.0, 1, tmp_path, events=1_200)
    for database in ("sqlite", "postgresql"):
        mine = [one for one in results if one.database == database]
        (loaded,) = (one for one in mine if isinstance(one, Loaded))
        assert (loaded.sessions, loaded.events) == (600, 1_200)
        asked = [one for one in mine if isinstance(one, Asked)]
        assert all(one.failures == 0 for one in asked)
        assert {one.question.partition(":")[0] for one in asked} >= {
            *("list", "detail", "timeseries", "top", "breakdown", "retention", "overview"),
            *("funnel", "paths", "naive SQL"),
        }
