"""Show each step with its progress and time: live on a terminal, as plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn


class Step:
    """One thing being done. Its methods may be called from any thread."""

    def __init__(self, steps: "Steps", title: str) -> None:
        self._steps = steps
        self._started = time.monotonic()
        self._task = steps.show(title)
        self.title = title

    def tell(self, detail: str) -> None:
        """How far it is, such as ``12 jars``."""
        self._steps.update(self._task, f"{self.title}  [dim]{escape(detail)}[/dim]")

    def done(self, detail: str = "") -> None:
        """It is finished."""
        self._steps.finish(self._task, "[green]✓[/green]", self._line(detail))

    def skipped(self, detail: str) -> None:
        """It could not be done, and the rest goes on without."""
        self._steps.finish(self._task, "[yellow]![/yellow]", self._line(detail))

    def failed(self) -> None:
        """It could not be done; the error that follows says why."""
        self._steps.finish(self._task, "[red]✗[/red]", self._line(""))

    def _line(self, detail: str) -> str:
        seconds = time.monotonic() - self._started
        return f"{self.title} [dim]({seconds:.1f} s)[/dim]{'  ' if detail else ''}{escape(detail)}"


class Steps:
    """The list of steps on the screen, finished ones above, running ones below.

    ``with Steps() as steps`` keeps the terminal tidy whatever happens inside.
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)
        self._progress: Progress | None = None
        self._lock = threading.Lock()
        if self.console.is_terminal:
            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self._progress = Progress(*columns, console=self.console, transient=True)

    def begin(self, title: str) -> Step:
        """Start a step that the caller ends with ``done``, ``skipped`` or ``failed``."""
        return Step(self, title)

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        """A step that fails when the block raises, and is the block's to end otherwise."""
        step = self.begin(title)
        try:
            yield step
        except BaseException:
            step.failed()
            raise

    def say(self, text: str = "") -> None:
        """A line of its own, in rich's markup."""
        self.console.print(text)

    def show(self, title: str) -> TaskID:
        """For Step: a running step appears."""
        with self._lock:
            if self._progress is None:
                self.console.print(f"· {title} …")
                return TaskID(0)
            return self._progress.add_task(title, total=None)

    def update(self, task: TaskID, description: str) -> None:
        """For Step: its text changes. Without a terminal there is nothing to rewrite."""
        if self._progress is not None:
            self._progress.update(task, description=description)

    def finish(self, task: TaskID, mark: str, line: str) -> None:
        """For Step: it ends, as a line that stays."""
        with self._lock:
            if self._progress is not None:
                self._progress.remove_task(task)
            self.console.print(f"{mark} {line}")
            sys.stdout.flush()

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *unused: object) -> None:
        if self._progress is not None:
            self._progress.stop()
