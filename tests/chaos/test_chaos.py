"""Twenty faults of every kind against one running stack: nothing lost, nothing doubled."""

import os
from pathlib import Path

import pytest

from tests.chaos.disks import why_no_disks
from tests.chaos.plan import plan
from tests.chaos.report import attacked

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]

SEED = int(os.environ.get("CHAOS_SEED", "4"))
"""The same in every run, so that a change that breaks something is seen where it was made."""


def test_twenty_faults_leave_every_promise_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record: list[str] = []

    def say(text: str) -> None:
        record.append(text)
        with capsys.disabled():
            print(text, flush=True)

    assert attacked(tmp_path / "data", plan(20, SEED), SEED, say), "\n".join(record)


def test_full_disks_are_among_the_faults() -> None:
    if why_no_disks():
        pytest.skip(f"no disk was filled, as {why_no_disks()}")
