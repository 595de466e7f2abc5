"""A progress bar for a terminal; elsewhere nothing, so that logs stay readable."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

Advance = Callable[[int], None]
"""Told how many more are done."""


@contextmanager
def progress_bar(title: str, total: int | None, *, is_bytes: bool = False) -> Iterator[Advance]:
    """Shown on stderr while the block runs. ``total`` is None when nobody knows it."""
    console = Console(stderr=True)
    count = DownloadColumn() if is_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total)
        yield lambda more: progress.advance(task, more)
