"""The comparison as a table: for a terminal, and as Markdown."""

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from benchmarks.compare.results import Row

TITLES = (
    "engine",
    "events",
    "events/s",
    "spread",
    "warm events/s",
    "start to exit",
    "CPU",
    "peak memory",
    "× Polars",
    "sessions",
    "does not do",
)


def cells(row: Row) -> list[str]:
    """A row's texts, in the order of TITLES."""
    return [
        row.engine.title,
        f"{row.events:,}",
        f"{row.per_s / 1000:.1f} k",
        f"{row.spread:.0%}" if row.rounds > 1 else "–",
        "–" if row.warm_per_s is None else f"{row.warm_per_s / 1000:.1f} k",
        f"{row.seconds:.0f} s",
        f"{row.cpu_s:.0f} s",
        f"{row.memory_mb / 1000:.1f} GB",
        "–" if row.limit_ratio is None else f"{row.limit_ratio:.2f}",
        row.verdict,
        row.engine.lacks,
    ]


def markdown(rows: Sequence[Row], reasons: dict[str, str]) -> str:
    """The table, and a line for each engine that did not run."""
    lines = [_line(TITLES), _line(["---"] * len(TITLES)), *(_line(cells(row)) for row in rows)]
    text = "\n".join(lines) + "\n"
    if reasons:
        text += "\n" + "".join(f"- not run: {name}: {why}\n" for name, why in reasons.items())
    return text


def _line(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def terminal(rows: Sequence[Row], reasons: dict[str, str]) -> Group:
    """The same for a person at a terminal, with the longest column as lines below."""
    table = Table()
    for title in TITLES[:-1]:
        table.add_column(title, no_wrap=title not in {"engine", "sessions"})
    for row in rows:
        table.add_row(*cells(row)[:-1], style=None if row.verdict == "right" else "red")
    lacking = [f"{row.engine.title} does not do: {row.engine.lacks}" for row in rows]
    missing = [f"{name}: not run: {why}" for name, why in reasons.items()]
    return Group(table, *map(Text, lacking + missing))
