"""Backfills that people order on the dashboard: found in a folder, run one at a time as a child.

The supervisor's own thread looks and starts, because Linux ends a child with the thread that
started it.
"""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from contracts.backfills import (
    PROGRESS,
    BackfillOrder,
    BackfillProgress,
    orders_in,
    progress_of,
    write_file,
)
from infra.children import Child, ChildSpec

LOOK_SECONDS = 1.0
GRACE_SECONDS = 3.0
KEPT = 50
"""Orders whose files stay; older ones go when a new one is begun."""


class Orders:
    """Runs orders. ``spec_of`` says how; ``tick`` is a monotonic clock in seconds."""

    def __init__(
        self,
        folder: Path,
        spec_of: Callable[[BackfillOrder], ChildSpec],
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._spec_of, self._tick = folder, spec_of, tick
        self._next_look = 0.0
        self._running: tuple[BackfillOrder, BackfillProgress, Child] | None = None
        self._give_up_those_of_before()

    def look(self) -> None:
        """See how the running one is, or begin the oldest that waits. Cheap; call it often."""
        if self._tick() < self._next_look:
            return
        self._next_look = self._tick() + LOOK_SECONDS
        if self._running is not None:
            self._look_at_running()
        elif self._folder.is_dir():
            self._begin_next()

    def stop(self) -> None:
        """End the running one, which counts as failed: a backfill can be run again."""
        if self._running is not None:
            child = self._running[2]
            child.ask_to_stop()
            child.finish(GRACE_SECONDS)
            self._end("failed")

    def _give_up_those_of_before(self) -> None:
        """A supervisor that was killed cannot say of its child how it ended."""
        for order in orders_in(self._folder):
            progress = progress_of(self._folder, order.id)
            if progress is not None and progress.state == "running":
                self._write(order, _ended(progress, "failed"))

    def _begin_next(self) -> None:
        orders = orders_in(self._folder)
        waiting = [one for one in orders if progress_of(self._folder, one.id) is None]
        if not waiting:
            return
        for old in orders[KEPT:]:
            self._forget(old)
        order = waiting[-1]
        progress = BackfillProgress(state="running", started=_now())
        self._write(order, progress)
        self._running = order, progress, Child(self._spec_of(order))

    def _look_at_running(self) -> None:
        code = self._running[2].exit_code() if self._running else None
        if code is not None and self._running is not None:
            self._running[2].clear()
            self._end("done" if code == 0 else "failed")

    def _end(self, state: str) -> None:
        if self._running is not None:
            order, progress, _ = self._running
            self._write(order, _ended(progress, state))
            self._running = None

    def _write(self, order: BackfillOrder, progress: BackfillProgress) -> None:
        write_file(self._folder / f"{order.id}{PROGRESS}", progress)

    def _forget(self, order: BackfillOrder) -> None:
        for file in self._folder.glob(f"{order.id}.*"):
            file.unlink(missing_ok=True)


def _ended(progress: BackfillProgress, state: str) -> BackfillProgress:
    ended = "done" if state == "done" else "failed"
    return msgspec.structs.replace(progress, state=ended, ended=_now())


def _now() -> int:
    return time.time_ns() // 1_000_000
