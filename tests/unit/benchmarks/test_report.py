"""Figures and the folder that a measurement leaves behind."""

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks.bars import Bar
from benchmarks.figures import middle, percentile, spread
from benchmarks.report import Report, markdown


class Line(msgspec.Struct):
    rate: int


def test_percentiles_of_ordered_values() -> None:
    values = list(range(1, 101))
    assert [percentile(values, share) for share in (0, 0.5, 0.99, 1)] == [1, 51, 100, 100]
    assert percentile([], 0.5) == 0


def test_medians_and_spreads() -> None:
    assert (middle([3, 1, 2]), middle([])) == (2, 0)
    assert spread([90, 100, 120]) == pytest.approx(0.3)
    assert (spread([7]), spread([]), spread([0, 0])) == (0, 0, 0)


def test_markdown_has_a_line_a_row_and_a_note_below() -> None:
    text = markdown(["a", "b"], [["1", "x|y"]], ["why"])
    assert text == "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n\n- why\n"


def test_results_are_printed_and_kept_as_they_come(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = Report("test", {"rounds": "2"}, ["uvicorn"], tmp_path)
    report.add(Line(1))
    report.add(Line(2))
    report.table(["rate"], [["1"], ["2"]])
    report.plot("rates", [Bar("a & b", 1, "1/s"), Bar("c", 0, "0/s", is_ours=False)])
    printed = capsys.readouterr()
    assert [json.loads(line) for line in printed.out.splitlines()] == [{"rate": 1}, {"rate": 2}]
    kept = json.loads((tmp_path / "results.json").read_text())
    assert kept["configuration"] == {"rounds": "2"}
    assert kept["results"] == [{"rate": 1}, {"rate": 2}]
    assert "cores" in kept["machine"]
    assert kept["versions"]["uvicorn"]
    plot = (tmp_path / "plot.svg").read_text()
    assert plot.startswith("<svg")
    assert plot.count('rx="3"') == 2
    assert "a &amp; b" in plot
    assert (tmp_path / "table.md").read_text().startswith("| rate |")
