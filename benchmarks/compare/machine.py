"""What the figures were measured on."""

import platform
from pathlib import Path

import psutil

from infra.jars import KAFKA
from infra.java import find_java


def machine() -> dict[str, str]:
    """Processor, cores, memory, kernel and the versions that all engines share."""
    return {
        "processor": _processor(),
        "cores": str(psutil.cpu_count()),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "java": str(find_java().version),
        "broker": KAFKA.roots[0],
        "load before": " ".join(f"{load:.2f}" for load in psutil.getloadavg()),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
