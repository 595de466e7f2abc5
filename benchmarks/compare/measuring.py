"""What a process and all its descendants take: time, CPU, memory."""

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import msgspec
import psutil

EVERY = 1.0
"""Seconds between two looks, which is how sharp memory's peak is."""

FIRST = 0.02
"""Seconds to the first look. The next ones double up to EVERY: a short run is seen, too."""

KILL_SECONDS = 10.0


class Taken(msgspec.Struct, frozen=True):
    """``seconds`` from start to exit; CPU seconds; the largest sum of proportional memory."""

    seconds: float
    cpu_s: float
    memory_mb: float
    exit_status: int
    timed_out: bool = False


def measured(command: list[str], environ: dict[str, str], log: Path, limit: float) -> Taken:
    """Run to its end, or for ``limit`` seconds; output goes to ``log`` and ``log``.err."""
    begin, before = time.monotonic(), _children_cpu()
    with log.open("wb") as output, log.with_suffix(".err").open("wb") as errors:
        process = subprocess.Popen(
            command, env=environ, stdout=output, stderr=errors, start_new_session=True
        )
        tree = _Tree(process.pid)
        try:
            pause = FIRST
            while _wait(process, pause) is None and time.monotonic() - begin < limit:
                tree.look()
                pause = min(2 * pause, EVERY)
            took, timed_out = time.monotonic() - begin, process.poll() is None
        finally:
            # Whatever is left, also by Ctrl-C, would weigh on the engine that is next.
            _end(process, tree)
    status = process.wait()
    # The kernel knows the CPU of what was waited for to the end; the looks know the rest.
    waited = _children_cpu() - before
    return Taken(
        seconds=took,
        cpu_s=max(waited, tree.cpu()),
        memory_mb=tree.peak / 1e6,
        exit_status=status,
        timed_out=timed_out,
    )


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _end(process: "subprocess.Popen[bytes]", tree: "_Tree") -> None:
    """Kill what is left, and wait until it is gone: a kill takes effect a little later."""
    left = tree.alive()
    for one in [*left, process]:
        try:
            os.kill(one.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    deadline = time.monotonic() + KILL_SECONDS
    while any(map(_works, left)) and time.monotonic() < deadline:
        time.sleep(FIRST)


def _works(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


class _Tree:
    """The process and its descendants, also those whose parents have ended."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[psutil.Process, float] = {}
        self.peak = 0

    def look(self) -> None:
        """Remember every process' CPU time so far, and the sum of their memory."""
        total = 0
        for process in self.alive():
            try:
                cpu = process.cpu_times()
                self._seen[process] = cpu.user + cpu.system
                total += process.memory_full_info().pss
            except psutil.Error:
                continue
        self.peak = max(self.peak, total)

    def alive(self) -> set[psutil.Process]:
        """Those that run now: the root's descendants and those once seen."""
        found = {one for one in self._seen if one.is_running()}
        try:
            root = psutil.Process(self._root)
            found |= {root, *root.children(recursive=True)}
        except psutil.Error:
            pass
        return found

    def cpu(self) -> float:
        """Seconds of user and system time of all that was seen."""
        return sum(self._seen.values())
