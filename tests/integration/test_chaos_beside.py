"""The chaos run beside the session's tests: what comes when, and that nothing of it is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from infra.paths import PROJECT
from tests.chaos.beside import RunBeside, processes_of
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

LANDMARKS = (
    "tests/integration/test_bench_all.py::test_small_and_full_sizes_are_of_the_same_parts",
    "tests/chaos/test_chaos.py::test_twenty_faults_leave_every_promise_kept",
    "tests/integration/test_bench_all.py::test_no_hot_path_became_slower_and_results_are_kept",
    "tests/e2e/test_closed_loop.py::test_one_sees_ones_own_visit_appear_and_change",
    "tests/docs/test_configuration.py::test_the_page_is_what_the_settings_say",
)
"""One test of each group, in the order in which the session has them."""


def mounts_below(folder: Path) -> list[str]:
    found = (one.mountpoint for one in psutil.disk_partitions(all=True))
    return [one for one in found if Path(one).is_relative_to(folder)]


def test_what_compares_times_comes_after_the_chaos_run_and_the_running_stack_last() -> None:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *reversed(LANDMARKS)]
    listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    tests = [line for line in listed.stdout.splitlines() if "::" in line]
    assert tests == list(LANDMARKS)


def test_a_run_that_is_ended_early_leaves_no_process_no_disk_and_no_folder(tmp_path: Path) -> None:
    run = RunBeside(tmp_path / "run", 20, 4)
    try:
        wait_until(lambda: len(processes_of(run.data)) > 3, 200, "half a stack")
    finally:
        run.end()
    assert processes_of(run.data) == []
    assert mounts_below(run.folder) == []
    assert not psutil.pid_exists(run.pid)
    assert not run.folder.exists()


def test_a_run_that_dies_has_failed_and_its_folder_is_kept_to_look_at(tmp_path: Path) -> None:
    run = RunBeside(tmp_path / "run", 20, 4)
    try:
        wait_until(lambda: "fault(s), seed 4" in run.output.read_text(), 60, "its first line")
        os.kill(run.pid, signal.SIGKILL)
        lines: list[str] = []
        assert run.follow(lines.append) == -signal.SIGKILL
        assert lines[0] == "20 fault(s), seed 4: ./clickwake chaos --faults 20 --seed 4"
    finally:
        run.end()
    assert processes_of(run.data) == []
    assert (run.data / "chaos.log").exists()
