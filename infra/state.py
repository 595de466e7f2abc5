"""What the supervisor tells others about the running stack, in ``<data>/run/stack.json``."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from infra.errors import InfraError
from infra.processes import ProcessMark, is_running

StackStatus = Literal["starting", "serving", "stopping"]
ChildStatus = Literal["waiting", "starting", "ready", "backing_off", "held", "stopped"]


class ChildState(msgspec.Struct, frozen=True, kw_only=True):
    """One process now. ``mark`` is None before its first start.

    ``detail`` says why it does not run: its log's last line, or who holds it.
    """

    name: str
    status: ChildStatus
    mark: ProcessMark | None = None
    restarts: int = 0
    address: str = ""
    detail: str = ""


class StackState(msgspec.Struct, frozen=True, kw_only=True):
    """The whole stack now. ``addresses`` maps what people open to where it is.

    ``kafka``, ``topic_prefix`` and ``checkpoint`` are what the session job works with.
    """

    supervisor: ProcessMark
    status: StackStatus
    kind: str
    addresses: dict[str, str]
    kafka: str = ""
    topic_prefix: str = ""
    checkpoint: str = ""
    children: list[ChildState] = []


def write_state(file: Path, state: StackState) -> None:
    """Replace the file in one step: readers see the old state or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".partial")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=2))
    temporary.replace(file)


def read_state(file: Path) -> StackState | None:
    """The state that was last written; None when there is none that can be read."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=StackState)
    except (OSError, msgspec.DecodeError):
        return None


def running_state(file: Path) -> StackState | None:
    """The state of a stack whose supervisor still runs."""
    state = read_state(file)
    return state if state is not None and is_running(state.supervisor) else None


@contextmanager
def stack_lock(file: Path) -> Iterator[None]:
    """Held by the one supervisor of a data folder. Raises InfraError when another has it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _already_running(file) from None
        yield
    finally:
        os.close(descriptor)


def is_locked(file: Path) -> bool:
    """Whether a supervisor runs on this data folder."""
    if not file.exists():
        return False
    try:
        with stack_lock(file):
            return False
    except InfraError:
        return True


def _already_running(file: Path) -> InfraError:
    state = read_state(file.parent / "stack.json")
    where = f" (process {state.supervisor.pid})" if state else ""
    return InfraError(
        f"Clickwake already runs on the data in {file.parents[1]}{where}: end it with "
        "`./clickwake stop`, or choose another folder with --data."
    )
