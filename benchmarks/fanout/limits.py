"""Cores and open files of the processes that are measured."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

SPARE_FILES = 200
PATIENCE = 10
"""Nice value: a tenth of the time of one who does not give way."""


def allow_files(wanted: int) -> None:
    """Let this process and its children hold so many connections, if the system lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < wanted + SPARE_FILES:
        raise SystemExit(
            f"{wanted} clients need {wanted + SPARE_FILES} open files and this system allows "
            f"{most}: raise it with `ulimit -Hn`, or give fewer --clients."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def cores() -> tuple[set[int], set[int]]:
    """One core for the server, and the others for everything else (the same if there is one)."""
    here = sorted(os.sched_getaffinity(0))
    return {here[0]}, set(here[1:]) or {here[0]}


@contextmanager
def pinned(to: set[int]) -> Iterator[None]:
    """What is started in the block stays on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, to)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def give_way(pid: int) -> None:
    """Let a process, all its threads, wait for whoever else needs their cores."""
    for thread in psutil.Process(pid).threads():
        os.setpriority(os.PRIO_PROCESS, thread.id, PATIENCE)
