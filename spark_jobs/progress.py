"""A progress bar for batch jobs, from Spark's own count of finished tasks."""

from threading import Event, Thread
from types import TracebackType
from typing import Self

from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

POLL_S = 0.3


class StageProgress:
    """Shows finished tasks of all stages that have started, on stderr, until it exits."""

    def __init__(self, spark: SparkSession) -> None:
        self._tracker = spark.sparkContext.statusTracker()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} tasks"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None
        self._stopped = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def stage(self, description: str) -> None:
        """Name the work that begins."""
        self._task = self._progress.add_task(description, total=1)

    def __enter__(self) -> Self:
        self._progress.start()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._thread.join()
        if self._task is not None and kind is None:
            self._progress.update(self._task, total=1, completed=1)
        self._progress.stop()

    def _watch(self) -> None:
        seen: dict[int, tuple[int, int]] = {}
        while not self._stopped.wait(POLL_S):
            for number in self._tracker.getActiveStageIds():
                stage = self._tracker.getStageInfo(number)
                if stage is not None:
                    seen[number] = (stage.numCompletedTasks, stage.numTasks)
            if self._task is not None and seen:
                done = sum(completed for completed, _ in seen.values())
                total = sum(tasks for _, tasks in seen.values())
                self._progress.update(self._task, completed=done, total=total)
