"""Keep the session job of a stack from running while its checkpoint is being worked on.

A file in the run folder names the process that holds it, so a hold ends with its holder even
when that is killed. The supervisor stops the held process and starts it again afterwards.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from infra.errors import InfraError
from infra.paths import Places
from infra.processes import ProcessMark, is_running, mark
from infra.state import ChildStatus, running_state, stack_lock
from infra.steps import Steps

JOB = "job"
KAFKA = "kafka"
STOP_SECONDS = 60.0
START_SECONDS = 120.0
POLL_SECONDS = 0.1


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """``name`` is the process that may not run, as are ``also``; ``why`` is what people read."""

    name: str
    also: tuple[str, ...] = ()
    holder: ProcessMark
    why: str


def read_hold(file: Path) -> Hold | None:
    """The hold that stands; None without one, or when its holder is gone."""
    try:
        hold = msgspec.json.decode(file.read_bytes(), type=Hold)
    except (OSError, msgspec.DecodeError):
        return None
    return hold if is_running(hold.holder) else None


class HoldReader:
    """What the supervisor asks, many times a second: mostly there is no file to read."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def why(self, name: str) -> str | None:
        """Why that process must not run now; None: it may."""
        if name not in {JOB, KAFKA} or not self._file.exists():
            return None
        hold = read_hold(self._file)
        return hold.why if hold is not None and name in {hold.name, *hold.also} else None


@contextmanager
def job_on_hold(places: Places, why: str, steps: Steps) -> Iterator[None]:
    """No job works on this data's checkpoint inside the block; a running one goes on after it.

    Raises InfraError when another command has it on hold, or the job does not stop.
    """
    if running_state(places.state_file) is None:
        with stack_lock(places.lock_file):
            yield
        return
    with _held(places.hold_file, why):
        with steps.step("Stopping the session job") as step:
            _await_status(places, "held", STOP_SECONDS)
            step.done()
        yield
    _await_restart(places, steps)


@contextmanager
def kafka_on_hold(places: Places, why: str) -> Iterator[None]:
    """Inside ``job_on_hold``: the stack's own Kafka does not run either inside the block.

    Raises InfraError when it does not stop, or does not come back.
    """
    _write(places.hold_file, why, KAFKA)
    try:
        _await_status(places, "held", STOP_SECONDS, KAFKA)
        yield
    finally:
        _write(places.hold_file, why)
    _await_status(places, "ready", START_SECONDS, KAFKA)


def _write(file: Path, why: str, *also: str) -> None:
    me = mark(os.getpid())
    if me is None:
        raise InfraError("The process table cannot be read: is /proc mounted?")
    draft = file.with_suffix(".draft")
    draft.write_bytes(msgspec.json.encode(Hold(name=JOB, also=also, holder=me, why=why)))
    draft.replace(file)


@contextmanager
def _held(file: Path, why: str) -> Iterator[None]:
    with _turn(file):
        _write(file, why)
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


@contextmanager
def _turn(file: Path) -> Iterator[None]:
    """One holder at a time; the lock ends with its process."""
    with file.with_suffix(".lock").open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            standing = read_hold(file)
            what = standing.why if standing else "another command"
            raise InfraError(f"The session job is on hold ({what}): wait for that.") from None
        yield


def _await_restart(places: Places, steps: Steps) -> None:
    with steps.step("Session job") as step:
        try:
            _await_status(places, "ready", START_SECONDS)
        except InfraError as error:
            step.skipped(str(error))
        else:
            step.done()


def _await_status(places: Places, wanted: ChildStatus, seconds: float, name: str = JOB) -> None:
    deadline = time.monotonic() + seconds
    while True:
        state = running_state(places.state_file)
        if state is None:
            # The stack was stopped meanwhile, and its job with it.
            return
        job = next((one for one in state.children if one.name == name), None)
        if job is None or job.status == wanted:
            return
        has_failed = wanted == "ready" and job.status == "backing_off"
        if has_failed or time.monotonic() > deadline:
            title = "The session job" if name == JOB else name.capitalize()
            raise InfraError(f"{title} is {job.status}: {job.detail or 'see its log'}")
        time.sleep(POLL_SECONDS)
