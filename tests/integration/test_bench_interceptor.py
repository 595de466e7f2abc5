"""The interceptor's benchmark, whole and small: real uvicorns on a Kafka that is up, away, slow."""

import json
from pathlib import Path

import pytest

from benchmarks.interceptor.main import main
from benchmarks.interceptor.results import Counts, InProcess, Served
from benchmarks.interceptor.served import Plan

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

PLAN = Plan(rate=50, seconds=1.0, connections=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interceptor")


@pytest.fixture(scope="module")
def found(folder: Path) -> tuple[list[InProcess], list[Served]]:
    return main(500, PLAN, 1, ["in-process", "served"], folder)


def test_each_case_in_process_does_what_it_says(
    found: tuple[list[InProcess], list[Served]],
) -> None:
    counts = {one.case: one.counts for one in found[0]}
    assert counts == {
        "none": None,
        "dropped": Counts(observed=1_500, sent=0, lost=0, dropped=1_500, queued=0),
        "absent": Counts(observed=1_500, sent=0, lost=0, dropped=0, queued=1_500),
        "full": Counts(observed=1_500, sent=0, lost=1_499, dropped=0, queued=1),
        "kafka": Counts(observed=1_500, sent=1_500, lost=0, dropped=0, queued=0),
        "base-absent": Counts(observed=1_500, sent=0, lost=0, dropped=0, queued=1_500),
        "base-kafka": Counts(observed=1_500, sent=1_500, lost=0, dropped=0, queued=0),
    }
    for one in found[0][1:]:
        assert 0 < one.added_p50_us < one.p50_us <= one.p99_us


def test_each_server_answers_and_counts_every_request(
    found: tuple[list[InProcess], list[Served]],
) -> None:
    counts = {}
    for one in found[1]:
        assert (one.failure, one.wrong) == (None, 0), one
        assert one.paced is not None
        assert one.saturated is not None
        assert one.paced.requests == 50
        assert one.saturated.requests > 50
        assert one.memory_mb > 10
        if one.counts is not None:
            assert one.counts.observed == one.requests
            assert one.counts.is_balanced
            counts[one.case] = one.counts
    assert set(counts) == {"clickwake-up", "clickwake-down", "clickwake-slow", "base-up"}
    assert counts["clickwake-up"].sent > 0
    assert counts["base-up"].sent > 0
    assert counts["clickwake-down"].sent == 0
    # Its producer was connected before Kafka became slow.
    assert counts["clickwake-slow"].sent > 0


def test_results_tables_and_plots_are_kept(
    found: tuple[list[InProcess], list[Served]], folder: Path
) -> None:
    kept = json.loads((folder / "results.json").read_text())
    assert [one["part"] for one in kept["results"]] == ["in process"] * 7 + ["served"] * 5
    assert kept["configuration"]["connections"] == "5"
    table = (folder / "table.md").read_text()
    assert "| Clickwake, queue full |" in table
    assert "| Clickwake, Kafka slow |" in table
    assert "BaseHTTPMiddleware, to Kafka" in (folder / "in-process.svg").read_text()
    assert "BaseHTTPMiddleware, Kafka up" in (folder / "plot.svg").read_text()
