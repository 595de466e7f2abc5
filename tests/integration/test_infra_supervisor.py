"""The supervisor with real processes: it starts, restarts and stops them, and leaves none."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from infra import hold
from infra.children import ChildSpec
from infra.errors import InfraError
from infra.hold import HoldReader, read_hold
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

    def __init__(self, folder: Path, specs: list[ChildSpec], **options: Any) -> None:
        self.output = (folder / "steps.txt").open("w", buffering=1)
        self.stop = threading.Event()
        steps = Steps(Console(file=self.output))
        self.supervisor = Supervisor(specs, steps, **options)
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
def watching(folder: Path, *specs: ChildSpec, **options: Any) -> Iterator[Watching]:
    running = Watching(folder, list(specs), **options)
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
        assert "one ended (-9); it starts again now" in running.said()
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
    code = "raise SystemExit('CLICKWAKE_X is not a setting')"
    failing = spec(tmp_path, "broken", code, is_ready=lambda started: False)
    with (tmp_path / "steps.txt").open("w") as output:
        supervisor = Supervisor([failing], Steps(Console(file=output)))
        with pytest.raises(InfraError, match=r"broken does not start.*CLICKWAKE_X is not a"):
            supervisor.start(threading.Event())
        supervisor.stop()


def test_who_needs_a_person_is_not_started_again_and_again(tmp_path: Path) -> None:
    marker = tmp_path / "refuse"
    code = f"""
import pathlib, sys, time
if pathlib.Path({str(marker)!r}).exists():
    print("the checkpoint cannot be read: go back to a savepoint"); sys.exit(78)
time.sleep(600)
"""
    with watching(tmp_path, spec(tmp_path, "job", code)) as running:
        first = wait_until(lambda: running.pid("job"), what="a start")
        marker.touch()
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: running.supervisor.states()[0].restarts == 2, what="a refusal")
        (state,) = running.supervisor.states()
        assert state.detail == "the checkpoint cannot be read: go back to a savepoint"
        assert "job ended (78); it starts again in 300 s" in running.said()


HOLDER = """
import signal, sys, time
from pathlib import Path
# Whoever starts the tests in the background has SIGINT ignored, which children inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
from infra import hold
with hold._held(Path(sys.argv[1]), "a savepoint is made"):
    print("held", flush=True)
    time.sleep(600)
"""


@contextmanager
def holder(file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another command that holds the job."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)],
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_held_process_stops_and_begins_again_when_its_holder_is_gone(
    tmp_path: Path, end: signal.Signals
) -> None:
    file = tmp_path / "hold.json"
    specs = [spec(tmp_path, "job", SLEEP), spec(tmp_path, "api", SLEEP)]
    with watching(tmp_path, *specs, held=HoldReader(file).why) as running:
        first, other = (wait_until(partial(running.pid, name)) for name in ("job", "api"))
        with holder(file) as holding:
            wait_until(lambda: running.supervisor.states()[0].status == "held")
            assert not session_members(first)
            assert running.supervisor.states()[0].detail == "a savepoint is made"
            assert read_hold(file) is not None
            holding.send_signal(end)
            wait_until(lambda: running.pid("job") not in (0, first), what="another start")
        assert wait_until(lambda: running.pid("api")) == other
        assert running.supervisor.states()[0].restarts == 0


def test_a_supervisor_that_starts_under_a_hold_waits_for_its_end(tmp_path: Path) -> None:
    file = tmp_path / "hold.json"
    with holder(file) as holding:
        one = spec(tmp_path, "job", SLEEP)
        with watching(tmp_path, one, held=HoldReader(file).why) as running:
            wait_until(lambda: running.supervisor.states()[0].status == "held")
            holding.kill()
            wait_until(lambda: running.pid("job"), what="a start")


def test_two_commands_do_not_hold_the_job_at_once(tmp_path: Path) -> None:
    file = tmp_path / "hold.json"
    with (
        holder(file),
        pytest.raises(InfraError, match=r"on hold \(a savepoint is made\): wait for that"),
        hold._held(file, "another"),
    ):
        pass
    with hold._held(file, "another"):
        assert read_hold(file) is not None
    assert read_hold(file) is None


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
