"""What the parts say of themselves: each has a module that looks and prints one finding."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from contracts.findings import Finding, problem
from infra.paths import PROJECT, Places

SECONDS = 60.0
DATABASE = "CLICKWAKE_API_DATABASE_URL"


def database(places: Places, environ: Mapping[str, str]) -> Finding:
    """The history database of a stack on this data, or the one that the environment names."""
    known = {name: text for name, text in environ.items() if not name.startswith("CLICKWAKE_API_")}
    mine = {name: text for name, text in environ.items() if name.startswith(DATABASE)}
    default = {DATABASE: f"sqlite:///{places.data / 'history.db'}"}
    return ask("api.doctor", [], {**known, **(mine or default)}, "history database")


def checkpoint(folder: Path, environ: Mapping[str, str]) -> Finding:
    """The session job's checkpoint; only while no job works on it."""
    return ask("spark_jobs.doctor", [str(folder)], environ, "checkpoint")


def ask(module: str, arguments: list[str], environ: Mapping[str, str], check: str) -> Finding:
    """The finding that ``python -m module`` prints."""
    command = [sys.executable, "-m", module, *arguments]
    try:
        done = subprocess.run(
            command,
            env={**environ, "PYTHONPATH": str(PROJECT)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return msgspec.json.decode(done.stdout, type=Finding)
    except subprocess.TimeoutExpired:
        why = f"no answer within {SECONDS:.0f} s"
    except msgspec.DecodeError:
        why = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
    return problem(check, f"It could not be looked at: {why}.", "Run `./clickwake setup` again.")
