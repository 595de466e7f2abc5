"""Processes by session: each child leads one, so whatever it starts can be found and ended.

Spark's JVM and Python workers leave their parent's process group, but not its session.
"""

import os
import signal
import time
from collections.abc import Iterable

import msgspec
import psutil

START_TOLERANCE_S = 2.0
POLL_SECONDS = 0.05


class ProcessMark(msgspec.Struct, frozen=True, kw_only=True):
    """A process that can be recognised later: numbers come again, start times do not."""

    pid: int
    started: float


def mark(pid: int) -> ProcessMark | None:
    """The process's mark; None when it is gone."""
    try:
        return ProcessMark(pid=pid, started=psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None


def is_running(known: ProcessMark) -> bool:
    """Whether just this process still runs (a zombie does not)."""
    try:
        process = psutil.Process(known.pid)
        same = abs(process.create_time() - known.started) < START_TOLERANCE_S
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def session_members(leader: int) -> list[int]:
    """Living processes of the session that ``leader`` began."""
    return [pid for pid in psutil.pids() if _session(pid) == leader and not _is_zombie(pid)]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _is_zombie(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def kill_session(leader: int, grace_s: float = 0.0) -> None:
    """End all of a session: SIGTERM first when there is a grace, SIGKILL for who remains."""
    if grace_s:
        _signal_all(session_members(leader), signal.SIGTERM)
        wait_until_empty(leader, grace_s)
    # A process may fork while we look: look again until nobody is left.
    for _ in range(20):
        members = session_members(leader)
        if not members:
            return
        _signal_all(members, signal.SIGKILL)
        wait_until_empty(leader, 0.5)


def wait_until_empty(leader: int, seconds: float) -> bool:
    """Whether the session has no living process, after waiting for that at most so long."""
    deadline = time.monotonic() + seconds
    while session_members(leader):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def end_leftovers(marks: Iterable[ProcessMark], grace_s: float = 3.0) -> int:
    """End what an earlier supervisor's children left; how many sessions there were.

    A number that another program has meanwhile is left alone.
    """
    ended = 0
    for known in marks:
        is_someone_else = psutil.pid_exists(known.pid) and not is_running(known)
        if is_someone_else or not session_members(known.pid):
            continue
        kill_session(known.pid, grace_s)
        ended += 1
    return ended


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
