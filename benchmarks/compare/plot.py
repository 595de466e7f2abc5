"""The comparison as bars."""

from collections.abc import Sequence

from benchmarks import bars
from benchmarks.compare.results import Row


def svg(rows: Sequence[Row], title: str) -> str:
    """A bar for each engine, as long as its rate, with rate and memory beside it."""
    return bars.svg(title, [_bar(row) for row in rows])


def _bar(row: Row) -> bars.Bar:
    is_right = row.verdict == "right"
    figures = f"{row.per_s / 1000:.1f} k/s · {row.memory_mb / 1000:.1f} GB"
    return bars.Bar(
        row.engine.title,
        row.per_s,
        figures if is_right else f"{figures} · wrong",
        is_ours=row.engine.name == "clickwake",
        is_right=is_right,
    )
