"""What this process itself takes, under the names that Prometheus's own clients use."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from contracts.exposition import Family, Sample

_PROC = Path("/proc/self")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def own_families(started: int) -> Iterator[Family]:
    """CPU, memory and open files; where there is no ``/proc``, only the first."""
    cpu = [Sample(time.process_time())]
    yield Family("process_cpu_seconds_total", "counter", "CPU time in seconds", cpu)
    yield _gauge("process_start_time_seconds", "when it began, since 1970 UTC", started / 1000)
    with suppress(OSError, ValueError):
        virtual, resident = (_PROC / "statm").read_text().split()[:2]
        yield _gauge("process_resident_memory_bytes", "memory in use", int(resident) * _PAGE_BYTES)
        yield _gauge("process_virtual_memory_bytes", "memory mapped", int(virtual) * _PAGE_BYTES)
    with suppress(OSError):
        yield _gauge("process_open_fds", "open files and sockets", len(list(_PROC.glob("fd/*"))))


def _gauge(name: str, meaning: str, value: float) -> Family:
    return Family(name, "gauge", meaning, [Sample(value)])
