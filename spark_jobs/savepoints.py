"""``python -m spark_jobs.savepoints``: what ``./clickwake savepoint`` does.

Whoever calls it sees to it that no job works on the checkpoint meanwhile.
"""

import argparse
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import time

from kafka.errors import KafkaError
from rich.console import Console
from rich.table import Table

from contracts import ContractError
from contracts.instants import format_instant
from spark_jobs import savepoint as points
from spark_jobs.bars import progress_bar
from spark_jobs.checkpoint import CheckpointError, read_manifest
from spark_jobs.positions import Positions, read_positions
from spark_jobs.restoring import misfits, other_rules, restore, settings_of
from spark_jobs.savepoint import Savepoint, SavepointError
from spark_jobs.settings import load
from spark_jobs.swap import finish_swap
from spark_jobs.versions import versions

MEBIBYTE = 1024 * 1024


def main(arguments: list[str]) -> int:
    """Run; the exit status is 1 with one sentence when it cannot be done."""
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    parsed = _parser().parse_args(arguments)
    try:
        COMMANDS[parsed.command](parsed)
    except (SavepointError, CheckpointError, ContractError) as error:
        print(f"clickwake: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"clickwake: {error.strerror}: {error.filename}", file=sys.stderr)
        return 1
    return 0


def create(arguments: argparse.Namespace) -> None:
    """Copy the checkpoint."""
    job, _ = load()
    checkpoint = Path(job.checkpoint)
    finish_swap(checkpoint)
    manifest = read_manifest(checkpoint)
    positions = _positions(arguments)
    started = Savepoint(
        name=arguments.name or f"{datetime.now(UTC):%Y%m%d-%H%M%S}",
        created=int(time() * 1000),
        manifest=manifest,
        batch=-1,
        offsets={},
        cluster=positions.cluster if positions else manifest.cluster,
        settings=settings_of(job),
        versions=versions(),
        size=0,
        files={},
    )
    size = points.size_of(checkpoint)
    with progress_bar("Copying the checkpoint", size, is_bytes=True) as advance:
        done = points.create(checkpoint, arguments.folder, started, advance)
    print(f"Savepoint {done.name} in {arguments.folder / done.name}, {_size(done)}:")
    print(f"  epoch {done.manifest.epoch}, batch {done.batch}, {_places(done)}")


def show(arguments: argparse.Namespace) -> None:
    """List what there is."""
    found = points.listed(arguments.folder)
    if not found:
        print(f"There are no savepoints in {arguments.folder}.")
        return
    table = Table("name", "made", "epoch", "batch", "size", "Clickwake", "Spark")
    for one in found:
        version = one.versions
        table.add_row(
            one.name, format_instant(one.created), str(one.manifest.epoch), str(one.batch),
            _size(one), version["clickwake"], version["spark"],
        )  # fmt: skip
    Console(highlight=False).print(table)


def bring_back(arguments: argparse.Namespace) -> None:
    """Put one in the checkpoint's place, unless it cannot go on here."""
    job, kafka = load()
    place = points.find(arguments.name, arguments.folder)
    saved = points.read(place)
    positions = _positions(arguments)
    reasons = misfits(saved, job, kafka, positions)
    if reasons:
        raise SavepointError(f"the savepoint {saved.name} cannot go on here: {'; '.join(reasons)}")
    checkpoint = Path(job.checkpoint)
    finish_swap(checkpoint)
    title, size = "Checking and copying the savepoint", 2 * saved.size
    with progress_bar(title, size, is_bytes=True) as advance:
        restored = restore(place, saved, checkpoint, advance)
    print(f"{checkpoint} is that of savepoint {saved.name} again, under epoch {restored.epoch}.")
    if restored.aside is not None:
        print(f"The former checkpoint is in {restored.aside}.")
    for name, (then, now) in other_rules(saved, job).items():
        print(f"Note: CLICKWAKE_JOB_{name.upper()} was {then!s} then and is {now!s} now.")
    if positions is None:
        print("Kafka does not run; the job looks when it starts whether it still has the offsets.")


def remove(arguments: argparse.Namespace) -> None:
    """Delete one."""
    place = points.find(arguments.name, arguments.folder)
    points.delete(place)
    print(f"Deleted {place}.")


COMMANDS = {"create": create, "list": show, "restore": bring_back, "delete": remove}


def _positions(arguments: argparse.Namespace) -> Positions | None:
    """None when there is no Kafka to ask, or it does not answer."""
    if arguments.no_kafka:
        return None
    _, kafka = load()
    try:
        return read_positions(kafka)
    except KafkaError:
        return None


def _size(one: Savepoint) -> str:
    return f"{one.size / MEBIBYTE:.1f} MB"


def _places(one: Savepoint) -> str:
    parts = [
        f"{topic}/{partition} at {offset}"
        for topic, partitions in one.offsets.items()
        for partition, offset in partitions.items()
    ]
    return ", ".join(parts) or "nothing read yet"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="clickwake savepoint")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in COMMANDS:
        command = commands.add_parser(name)
        command.add_argument("--folder", type=Path, required=True)
        command.add_argument("--no-kafka", action="store_true")
        if name == "create":
            command.add_argument("name", nargs="?")
        elif name != "list":
            command.add_argument("name")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
