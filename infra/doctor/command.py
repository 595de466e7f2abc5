"""``./clickwake doctor``."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from contracts.findings import Finding
from infra.doctor.examination import Examination
from infra.paths import places

MARKS = {"ok": "ok", "note": "note", "warning": "WARNING", "problem": "PROBLEM"}
COLOURS = {"ok": "green", "note": "cyan", "warning": "yellow", "problem": "red"}


def doctor(
    data: Annotated[
        Path | None, typer.Option(help="Where everything is kept.", file_okay=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Say what is wrong, and what to do about it.

    Looks at machine, files, Kafka and the running stack, and changes nothing. The exit status
    is 1 when there is a problem.
    """
    console = Console(highlight=False, soft_wrap=True)
    examination = Examination(places(data), os.environ)
    found: list[Finding] = []
    for finding in examination.findings():
        found.append(finding)
        if not json:
            show(finding, console)
    if json:
        typer.echo(as_json(found))
    else:
        console.print(f"\n{verdict(found)}", markup=False)
    raise typer.Exit(exit_status(found))


def exit_status(found: Iterable[Finding]) -> int:
    """1 when something does not work."""
    return int(any(one.level == "problem" for one in found))


def as_json(found: list[Finding]) -> str:
    """``healthy`` is whether the exit status is 0."""
    document = {"healthy": not exit_status(found), "findings": found}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def show(finding: Finding, console: Console) -> None:
    """A line of what is, and below it what to do."""
    mark = f"{MARKS[finding.level]:<8}"
    console.print(mark, style=COLOURS[finding.level], end="")
    console.print(f"{finding.check}: {finding.what}", markup=False)
    if finding.todo:
        console.print(f"{'':8}→ {finding.todo}", markup=False)


def verdict(found: Iterable[Finding]) -> str:
    """The whole in a sentence."""
    levels = [one.level for one in found]
    problems, warnings = levels.count("problem"), levels.count("warning")
    if problems == warnings == 0:
        return "Nothing is wrong."
    return f"{problems} problem(s), {warnings} warning(s)."
