"""Twenty faults of every kind against one running stack: nothing lost, nothing doubled."""

import pytest

from tests.chaos.beside import RunBeside
from tests.chaos.disks import why_no_disks

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


def test_twenty_faults_leave_every_promise_kept(
    chaos_run: RunBeside, capsys: pytest.CaptureFixture[str]
) -> None:
    record: list[str] = []

    def say(text: str) -> None:
        record.append(text)
        with capsys.disabled():
            print(text, flush=True)

    assert chaos_run.follow(say) == 0, "\n".join(record)


def test_full_disks_are_among_the_faults() -> None:
    if why_no_disks():
        pytest.skip(f"no disk was filled, as {why_no_disks()}")
