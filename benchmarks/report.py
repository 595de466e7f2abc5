"""What a measurement leaves behind: JSON lines as it goes, and a folder with all of it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.bars import Bar, svg
from benchmarks.compare.environments import BENCH
from benchmarks.compare.machine import machine

WIDTH = 130
"""Columns that a table needs, also when the output is no terminal."""

Titles = Sequence[str]
Cells = Sequence[Sequence[str]]


class Report:
    """The results of one run, in a folder of their own. What is said goes to standard error."""

    def __init__(
        self,
        name: str,
        configuration: dict[str, str],
        packages: Sequence[str],
        out: Path | None,
    ) -> None:
        begun = datetime.now(UTC)
        self._folder = out or BENCH / f"{begun.strftime('%Y-%m-%dT%H-%M-%SZ')}-{name}"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._console = Console(stderr=True, highlight=False)
        self._kept: dict[str, object] = {
            "begun": begun.isoformat(timespec="seconds"),
            "machine": machine(),
            "configuration": configuration,
        }
        self.versions = {package: version(package) for package in packages}
        self._lines: list[object] = []
        self._tables: list[str] = []

    def say(self, text: str) -> None:
        """Tell the person who waits how far it is."""
        self._console.print(text, markup=False)

    def add(self, result: msgspec.Struct) -> None:
        """Print a result as a JSON line, and keep it."""
        plain = msgspec.to_builtins(result)
        self._lines.append(plain)
        print(json.dumps(plain), flush=True)
        whole = self._kept | {"versions": self.versions, "results": self._lines}
        kept = msgspec.json.encode(whole)
        (self._folder / "results.json").write_bytes(msgspec.json.format(kept, indent=2))

    def plot(self, title: str, bars: Sequence[Bar], name: str = "plot") -> None:
        """Draw the bars, as ``<name>.svg``."""
        (self._folder / f"{name}.svg").write_text(svg(title, bars))

    def table(self, titles: Titles, rows: Cells, notes: Sequence[str] = ()) -> None:
        """Show the table, and write it as Markdown, below those before."""
        self._tables.append(markdown(titles, rows, notes))
        (self._folder / "table.md").write_text("\n".join(self._tables))
        shown = Console(stderr=True, width=max(WIDTH, self._console.width), highlight=False)
        table = Table(*titles)
        for row in rows:
            table.add_row(*row)
        shown.print(table)
        for note in notes:
            shown.print(note, markup=False)
        shown.print(f"Written to {self._folder}", markup=False)


def markdown(titles: Titles, rows: Cells, notes: Sequence[str] = ()) -> str:
    """The table, and a line for each note."""
    lines = [_line(titles), _line(["---"] * len(titles)), *map(_line, rows)]
    text = "\n".join(lines) + "\n"
    return text + ("\n" + "".join(f"- {note}\n" for note in notes) if notes else "")


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"
