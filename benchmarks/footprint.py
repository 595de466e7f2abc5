"""Footprint: what the whole stack takes idle and under load, how long it takes to serve, and how
much disk a million events need.

``./clickwake bench footprint``: the demo is started twice (the second start is the warm one) and
stopped; then the stack with a minimal site idles and takes 200 and 1,000 requests a second.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.live import WARM_UP_S, load, running_stack, stack_pids
from benchmarks.stack import ROOT
from benchmarks.usage import usage_of
from infra.ports import free_ports

SETTLE_S = 90
"""Until the JVMs have compiled what a new stack runs."""
IDLE_S = 60
GROWING = ("kafka", "history.db")
"""What has a place for each event."""


def main(rates: list[int], seconds: float) -> dict[str, object]:
    """Print and return all figures."""
    result: dict[str, object] = {"demo": _demo()}
    with running_stack(256) as ports:
        time.sleep(SETTLE_S)
        before = _disk(ports.folder)
        result["idle"] = _totals(usage_of(stack_pids(ports), IDLE_S))
        sent = 0
        for rate in rates:
            loaded = asyncio.run(load(ports, stack_pids(ports), rate, seconds))
            sent += int(rate * (seconds + WARM_UP_S))
            result[f"{rate} a second"] = _totals(loaded["usage"]) | {
                name: loaded[name] for name in ("p50_s", "p99_s")
            }
        grown = {name: size - before.get(name, 0) for name, size in _disk(ports.folder).items()}
        # Checkpoint, logs and the like do not grow with events: they keep the newest.
        result["disk_mb_per_million_events"] = {
            name: round(grown.get(name, 0) / sent, 1) for name in GROWING
        }
        result["disk_mb"] = {name: round(size / 1e6, 1) for name, size in sorted(grown.items())}
    print(json.dumps(result, indent=2), flush=True)
    return result


def _demo() -> dict[str, float]:
    """Seconds from the command to serving: into an empty data folder, and again."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="clickwake-demo-") as folder:
        site, api, kafka = free_ports(3)
        ports = [f"--port-site={site}", f"--port-api={api}", f"--port-kafka={kafka}"]
        command = [sys.executable, "-m", "infra.cli"]
        environ = os.environ | {"PYTHONPATH": str(ROOT)}
        for name in ("first_start_s", "second_start_s"):
            begun = time.monotonic()
            start = [*command, "demo", "--detach", *ports, "--data", folder]
            subprocess.run(start, env=environ, check=True, stdout=sys.stderr)
            found[name] = round(time.monotonic() - begun, 1)
            stop = [*command, "stop", "--data", folder]
            subprocess.run(stop, env=environ, check=True, stdout=sys.stderr)
    return found


def _totals(usage: dict[str, dict[str, float]]) -> dict[str, object]:
    """By process, and all of them but the site, which is the load's."""
    ours = [used for name, used in usage.items() if name != "site"]
    return {
        "by_process": usage,
        "cpu": round(sum(used["cpu"] for used in ours), 3),
        "memory_mb": round(sum(used["memory_mb"] for used in ours)),
    }


def _disk(folder: Path) -> dict[str, int]:
    """Bytes by what they are for, one level down."""
    return {
        place.name: sum(file.stat().st_size for file in _files(place)) for place in folder.iterdir()
    }


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
