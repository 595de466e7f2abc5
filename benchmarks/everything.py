"""``./clickwake bench all``: every part, one after the other, with what it printed kept.

Each part is a command of its own, so that one part's memory and threads do not burden the next.
"""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.compare.environments import BENCH
from benchmarks.compare.machine import machine
from benchmarks.stack import ROOT

QUICK: dict[str, list[str]] = {
    "check": ["--rounds", "3"],
    "bounds": ["--events", "50000"],
    "interceptor": ["--requests", "2000", "--rate", "50", "--seconds", "1", "--rounds", "1"],
    "catchup": ["--events", "100000", "--visitors", "5000"],
    "compare": ["--events", "20000", "--visitors", "1000", "--rounds", "1"],
    "state": ["--sessions", "2000", "--events", "20000"],
    "live": ["--seconds", "20"],
    "footprint": ["--rate", "50", "--seconds", "20"],
    "fanout": ["--clients", "100", "--rate", "4", "--seconds", "5", "--rounds", "1"],
    "dashboard": ["--sessions", "200", "--rate", "20", "--seconds", "5", "--rounds", "1"],
    "history": ["--sessions", "5000", "--seconds", "1", "--rounds", "1"],
}
"""Small sizes, to see that everything runs: their figures say nothing."""

FULL: dict[str, list[str]] = {
    "check": [],
    "bounds": [],
    "interceptor": [],
    "catchup": ["--rounds", "3"],
    "compare": [],
    "state": [],
    "live": [
        *("--rate", "10", "--rate", "200", "--rate", "1000", "--rate", "5000"),
        *("--state", "0", "--state", "300000", "--engines", "clickwake,flink"),
    ],
    "footprint": [],
    "fanout": [],
    "dashboard": [],
    "history": [],
}
"""What ``docs/performance.md`` reports. It takes most of a day."""

OWN_FOLDER = {"compare", "dashboard", "fanout", "history", "interceptor"}
"""They write tables and plots, too."""


class Part(msgspec.Struct, frozen=True):
    """One part's run; its output is in ``<name>.txt``, beside the summary."""

    name: str
    arguments: list[str]
    seconds: float
    exit_status: int


class Summary(msgspec.Struct, frozen=True):
    """What ran where, as ``all.json``."""

    begun: str
    machine: dict[str, str]
    versions: dict[str, str]
    parts: list[Part]


def main(*, quick: bool, only: list[str], out: Path | None) -> Summary:
    """Run the parts that ``only`` names, or all; a part that fails does not end the others."""
    sizes = QUICK if quick else FULL
    unknown = sorted(set(only) - set(sizes))
    if unknown:
        raise SystemExit(f"there is no part {', '.join(unknown)}: {', '.join(sizes)}")
    begun = datetime.now(UTC)
    folder = out or BENCH / f"{begun.strftime('%Y-%m-%dT%H-%M-%SZ')}-all"
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True, highlight=False)
    summary = Summary(begun.isoformat(timespec="seconds"), machine(), _versions(), [])
    for name in only or sizes:
        console.print(f"{name} {' '.join(sizes[name])}", markup=False)
        summary.parts.append(_run(name, sizes[name], folder))
        text = msgspec.json.format(msgspec.json.encode(summary), indent=2)
        (folder / "all.json").write_bytes(text)
    console.print(_table(summary))
    console.print(f"Written to {folder}", markup=False)
    return summary


def _run(name: str, arguments: list[str], folder: Path) -> Part:
    own = ["--out", str(folder / name)] if name in OWN_FOLDER else []
    begun = time.monotonic()
    with (folder / f"{name}.txt").open("wb") as output:
        status = subprocess.run(
            [sys.executable, "-m", "benchmarks", name, *arguments, *own],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=output,
            check=False,
        ).returncode
    return Part(name, arguments, round(time.monotonic() - begun, 1), status)


def _versions() -> dict[str, str]:
    found = {one.metadata["Name"]: one.version for one in distributions()}
    return dict(sorted(found.items()))


def _table(summary: Summary) -> Table:
    table = Table("part", "took", "result")
    for part in summary.parts:
        result = f"exit status {part.exit_status}" if part.exit_status else f"{part.name}.txt"
        style = "red" if part.exit_status else None
        table.add_row(part.name, f"{part.seconds:.0f} s", result, style=style)
    return table
