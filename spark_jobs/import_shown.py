"""How an import shows its progress: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

LINE_EVERY_S = 10.0


class Stage:
    """One part of the work, done in steps of ``unit``."""

    def __init__(self, name: str, unit: str, total: int) -> None:
        self.name, self.unit, self.total, self.done = name, unit, total, 0
        self._began = self._told = monotonic()

    def advance(self, more: int) -> None:
        """So many more are done."""
        self.done += more

    def is_due(self) -> bool:
        """Whether it is time for another line."""
        now = monotonic()
        if now - self._told < LINE_EVERY_S:
            return False
        self._told = now
        return True

    def line(self) -> str:
        """The present state in words."""
        return described(self, monotonic() - self._began)


def described(stage: Stage, seconds: float) -> str:
    """``sending: 300 of 1,200 lines (25 %), 30 lines/s, 30 s left``."""
    rate = stage.done / seconds if seconds else 0.0
    share = 100 * stage.done // stage.total if stage.total else 100
    left = f", {_span((stage.total - stage.done) / rate)} left" if rate else ""
    counts = f"{stage.done:,} of {stage.total:,} {stage.unit} ({share} %)"
    return f"{stage.name}: {counts}, {rate:,.0f} {stage.unit}/s{left}"


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if whole < 3600 else f"{whole // 3600} h {whole // 60 % 60} min"


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        return Text(f"{task.completed:,.0f} {unit}, {task.speed or 0:,.0f}/s")


class Shown:
    """Where progress is shown; ``stage`` begins a part of the work."""

    def __init__(self, console: Console) -> None:
        self._console = console
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _Rate())
        self._bars = Progress(
            *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
        )

    @contextmanager
    def stage(self, name: str, unit: str, total: int) -> Iterator[Stage]:
        """Its ``advance`` moves the bar, or now and then writes a line."""
        stage = _ShownStage(name, unit, total, self._bars, self._console)
        yield stage
        if not self._console.is_terminal:
            self._say(stage.line())

    def _say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def __enter__(self) -> "Shown":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


class _ShownStage(Stage):
    def __init__(self, name: str, unit: str, total: int, bars: Progress, console: Console) -> None:
        super().__init__(name, unit, total)
        self._bars, self._console = bars, console
        self._task = bars.add_task(name, total=total, unit=unit)

    def advance(self, more: int) -> None:
        super().advance(more)
        self._bars.advance(self._task, more)
        if not self._console.is_terminal and self.is_due():
            self._console.print(self.line(), highlight=False, markup=False, soft_wrap=True)
