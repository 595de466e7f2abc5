"""``./clickwake savepoint``: keep the job's checkpoint with what belongs to it, and go back."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from infra.children import LAUNCHER
from infra.errors import InfraError
from infra.hold import job_on_hold
from infra.launching import EXTERNAL_KAFKA
from infra.paths import Places, places
from infra.stack import checkpoint_of
from infra.state import running_state
from infra.steps import Steps

app = typer.Typer(no_args_is_help=True, help="Keep the session job's state, and go back to it.")

Data = Annotated[Path | None, typer.Option(help="The stack's data folder.", file_okay=False)]
Folder = Annotated[
    Path | None, typer.Option(help="Where savepoints are kept, instead of DATA/savepoints.")
]
Name = Annotated[str, typer.Argument(help="A savepoint's name, or the path of its folder.")]


@app.command()
def create(
    name: Annotated[str | None, typer.Argument(help="By default the time.")] = None,
    folder: Folder = None,
    data: Data = None,
) -> None:
    """Keep the job's state as it is now.

    The job is stopped for that, its checkpoint copied with all that belongs to it, and the job
    goes on.
    """
    _on_hold("a savepoint is being made", ["create", *([name] if name else [])], folder, data)


@app.command(name="list")
def show(folder: Folder = None, data: Data = None) -> None:
    """Show the savepoints."""
    _spark_jobs(["list"], folder, places(data))


@app.command()
def restore(name: Name, folder: Folder = None, data: Data = None) -> None:
    """Go back to a savepoint.

    The present checkpoint is moved aside, not deleted.
    """
    _on_hold("a savepoint is being restored", ["restore", name], folder, data)


@app.command()
def delete(name: Name, folder: Folder = None, data: Data = None) -> None:
    """Delete a savepoint."""
    _spark_jobs(["delete", name], folder, places(data))


def _on_hold(why: str, arguments: Sequence[str], folder: Path | None, data: Path | None) -> None:
    here = places(data)
    with Steps() as steps, job_on_hold(here, why, steps):
        _spark_jobs(arguments, folder, here)


def _spark_jobs(arguments: Sequence[str], folder: Path | None, here: Places) -> None:
    kept = (folder or here.savepoints).absolute()
    options = ["--folder", str(kept), *([] if has_kafka(here) else ["--no-kafka"])]
    run_beside_job("spark_jobs.savepoints", [*arguments, *options], here)


def run_beside_job(
    module: str, arguments: Sequence[str], here: Places, extra: dict[str, str] | None = None
) -> None:
    """``python -m module`` with the job's settings; it does not outlive this process.

    Raises typer.Exit with its exit status when that is not 0; it has said why.
    """
    command = [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid())]
    done = subprocess.run(
        [*command, sys.executable, "-m", module, *arguments],
        env=job_environment(here) | (extra or {}),
        check=False,
    )
    if done.returncode < 0:
        raise InfraError(f"It was ended by signal {-done.returncode}: run the command again.")
    if done.returncode:
        raise typer.Exit(done.returncode)


def has_kafka(here: Places) -> bool:
    """Whether there is a Kafka to ask: an embedded one runs with its stack only."""
    return running_state(here.state_file) is not None or EXTERNAL_KAFKA in os.environ


def job_environment(here: Places) -> dict[str, str]:
    """The operator's settings, and of a running stack what its job really works with."""
    running = running_state(here.state_file)
    known = {"CLICKWAKE_JOB_CHECKPOINT": checkpoint_of(here, os.environ)}
    if running is not None:
        known = {
            "CLICKWAKE_JOB_CHECKPOINT": running.checkpoint,
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": running.kafka,
            "CLICKWAKE_KAFKA_TOPIC_PREFIX": running.topic_prefix,
        }
    return {**os.environ, "PYTHONPATH": str(here.project), **known}
