"""Parts by ``bench all``, among them the check that no hot path became slower."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from benchmarks.everything import FULL, QUICK, Summary
from benchmarks.stack import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.quiet
def test_no_hot_path_became_slower_and_results_are_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "all", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(
        [*command, "--only", "check", "--only", "bounds"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, (tmp_path / "check.txt").read_text() + done.stderr
    summary = msgspec.json.decode((tmp_path / "all.json").read_bytes(), type=Summary)
    assert [(part.name, part.exit_status) for part in summary.parts] == [
        ("check", 0),
        ("bounds", 0),
    ]
    assert "session core, an event in a batch" in (tmp_path / "check.txt").read_text()
    assert summary.versions["pyspark"] == "4.2.0"


def test_small_and_full_sizes_are_of_the_same_parts() -> None:
    assert list(QUICK) == list(FULL)
