"""The supervisor with real processes: it starts, restarts and stops them, and leaves none."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console

from infra.children import ChildSpec
from infra.errors import InfraError
from infra.paths import PROJECT
from infra.processes import end_leftovers, mark, session_members
from infra.steps import Steps
from infra.supervisor import Supervisor
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

SLEEP = "import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
# Like Spark: a child of its own that leaves the process group and ignores SIGTERM.
WITH_WORKER = f"""
import subprocess, sys
worker = subprocess.Popen([sys.executable, "-c", {STUBBORN!r}], process_group=0)
{SLEEP}
"""


def spec(folder: Path, name: str, code: str, **fields: object) -> ChildSpec:
    return ChildSpec(
        name=name,
        title=name,
        command=(sys.executable, "-c", code),
        log=folder / f"{name}.log",
        environment={**os.environ, "PYTHONPATH": str(PROJECT)},
        **fields,
    )


class Watching:
    """A supervisor at work in this thread's stead, as the command line runs it."""

    def __init__(self, folder: Path, specs: list[ChildSpec]) -> None:
        self.output = (folder / "steps.txt").open("w", buffering=1)
        self.stop = threading.Event()
        steps = Steps(Console(file=self.output))
        self.supervisor = Supervisor(specs, steps)
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        if self.supervisor.start(self.stop):
            self.supervisor.watch(self.stop)
        self.supervisor.stop()

    def pid(self, name: str) -> int:
        for state in self.supervisor.states():
            if state.name == name and state.status == "ready" and state.mark:
                return state.mark.pid
        return 0

    def said(self) -> str:
        return Path(self.output.name).read_text()


@contextmanager
def watching(folder: Path, *specs: ChildSpec) -> Iterator[Watching]:
    running = Watching(folder, list(specs))
    running.thread.start()
    try:
        yield running
    finally:
        running.stop.set()
        running.thread.join()
        running.output.close()


def test_a_killed_process_is_started_again(tmp_path: Path) -> None:
    with watching(tmp_path, spec(tmp_path, "one", SLEEP)) as running:
        first = wait_until(lambda: running.pid("one"), what="a start")
        os.kill(first, signal.SIGKILL)
        second = wait_until(lambda: running.pid("one") not in (0, first) and running.pid("one"))
        assert running.supervisor.states()[0].restarts == 1
        assert "one ended (-9); it starts again in 1 s" in running.said()
    assert not session_members(second)


def test_after_a_restart_what_follows_readiness_is_tried_until_it_works(tmp_path: Path) -> None:
    outcomes = [None, InfraError("gone again"), None]

    def make_topics() -> None:
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome

    with watching(tmp_path, spec(tmp_path, "kafka", SLEEP, when_ready=make_topics)) as running:
        first = wait_until(lambda: running.pid("kafka"), what="a start")
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: running.pid("kafka") not in (0, first), what="a second start")
    assert outcomes == []


def test_a_process_waits_for_those_it_needs_and_ends_before_them(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    first = spec(tmp_path, "first", SLEEP, is_ready=lambda started: ready.exists())
    second = spec(tmp_path, "second", SLEEP, needs=("first",))
    with watching(tmp_path, first, second) as running:
        wait_until(lambda: "starting" in {s.status for s in running.supervisor.states()})
        assert running.supervisor.states()[1].status == "waiting"
        ready.touch()
        wait_until(lambda: running.pid("second"), what="the second's start")
    said = running.said()
    assert said.index("Stopping second") < said.index("Stopping first")


def test_stopping_leaves_neither_workers_nor_the_stubborn(tmp_path: Path) -> None:
    specs = [
        spec(tmp_path, "stubborn", STUBBORN, grace_s=0.3),
        spec(tmp_path, "spark", WITH_WORKER, grace_s=1),
    ]
    with watching(tmp_path, *specs) as running:
        stubborn = wait_until(lambda: running.pid("stubborn"))
        spark = wait_until(lambda: running.pid("spark"))
        wait_until(lambda: len(session_members(spark)) == 2, what="a worker")
    assert not session_members(stubborn)
    assert not session_members(spark)


def test_a_crash_takes_its_workers_along(tmp_path: Path) -> None:
    with watching(tmp_path, spec(tmp_path, "spark", WITH_WORKER)) as running:
        spark = wait_until(lambda: running.pid("spark"))
        wait_until(lambda: len(session_members(spark)) == 2, what="a worker")
        os.kill(spark, signal.SIGKILL)
        wait_until(lambda: not session_members(spark), what="the worker's end")


def test_a_process_that_never_starts_is_one_sentence_with_its_last_words(tmp_path: Path) -> None:
    failing = spec(tmp_path, "broken", "raise SystemExit('CLICKWAKE_X is not a setting')")
    with (tmp_path / "steps.txt").open("w") as output:
        supervisor = Supervisor([failing], Steps(Console(file=output)))
        with pytest.raises(InfraError, match=r"broken does not start.*CLICKWAKE_X is not a"):
            supervisor.start(threading.Event())
        supervisor.stop()


SUPERVISOR = """
import sys, threading, os
from pathlib import Path
from infra.children import ChildSpec
from infra.steps import Steps
from infra.supervisor import Supervisor
folder = Path(sys.argv[1])
one = ChildSpec(name="one", title="one", command=(sys.executable, "-c", sys.argv[2]),
                log=folder / "one.log", environment=dict(os.environ))
supervisor = Supervisor([one], Steps())
supervisor.start(threading.Event())
(folder / "pid.partial").write_text(str(supervisor.states()[0].mark.pid))
(folder / "pid.partial").rename(folder / "pid")
supervisor.watch(threading.Event())
"""


@contextmanager
def supervisor_process(folder: Path, code: str) -> Iterator[tuple[int, int]]:
    """A supervisor in a process of its own: its number and its child's."""
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(folder), code],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.DEVNULL,
    ) as process:
        try:
            wait_until((folder / "pid").exists, what="the child's start")
            yield process.pid, int((folder / "pid").read_text())
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of such an end")
def test_a_killed_supervisor_takes_its_child_along(tmp_path: Path) -> None:
    with supervisor_process(tmp_path, SLEEP) as (supervisor, child):
        os.kill(supervisor, signal.SIGKILL)
        wait_until(lambda: not session_members(child), what="the child's end")


def test_what_a_killed_supervisor_left_is_ended_later(tmp_path: Path) -> None:
    with supervisor_process(tmp_path, STUBBORN) as (supervisor, child):
        known = mark(child)
        assert known is not None
        os.kill(supervisor, signal.SIGKILL)
        assert end_leftovers([known], grace_s=0.3) == 1
        assert not session_members(child)
        assert end_leftovers([known]) == 0


def test_an_innocent_process_with_the_same_number_is_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True) as innocent:
        known = mark(innocent.pid)
        assert known is not None
        someone_else = type(known)(pid=known.pid, started=known.started - 100)
        assert end_leftovers([someone_else]) == 0
        assert innocent.poll() is None
        innocent.kill()
