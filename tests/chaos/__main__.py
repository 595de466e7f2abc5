"""``./clickwake chaos``: attack a whole stack of its own with seeded faults, and judge it."""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TextIO

import typer

from tests.chaos.plan import DECK, plan
from tests.chaos.report import attacked

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def main(
    faults: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    seed: Annotated[
        int | None, typer.Option(help="Repeats a run; else chosen by the time.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="A kind of fault; may be repeated.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A new folder for its data.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the data of a good run too.")] = False,
) -> None:
    """Attack a stack of its own with faults; status 1 and the data kept when a promise breaks."""
    kinds = _kinds(only)
    chosen = int(time.time()) % 1_000_000 if seed is None else seed
    folder = (data or Path(tempfile.mkdtemp(prefix="clickwake-chaos-"))).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "chaos.log").open("a", buffering=1) as record:
        rounds = plan(faults, chosen, kinds)
        say = _to(record)
        is_good = attacked(folder, rounds, chosen, say, kinds=only or (), keep=keep)
    if is_good and not keep:
        shutil.rmtree(folder)
    else:
        print(f"its data, with logs and chaos.log: {folder}")
    sys.exit(0 if is_good else 1)


def _to(record: TextIO) -> Callable[[str], None]:
    def say(text: str) -> None:
        print(text, flush=True)
        print(text, file=record)

    return say


def _kinds(only: list[str] | None) -> tuple[str, ...]:
    unknown = sorted(set(only or ()) - set(DECK))
    if unknown:
        known = ", ".join(dict.fromkeys(DECK))
        raise typer.BadParameter(f"{unknown[0]} is no fault; there are: {known}")
    return tuple(only or DECK)


if __name__ == "__main__":
    app(prog_name="clickwake chaos")
