"""Backfills ordered on the dashboard: one at a time, and how each ended."""

import sys
from collections.abc import Callable
from pathlib import Path

from contracts.backfills import (
    LOG,
    ORDER,
    PROGRESS,
    BackfillOrder,
    BackfillProgress,
    progress_of,
    write_file,
)
from infra.children import ChildSpec
from infra.orders import KEPT, Orders
from tests.support.waiting import wait_until

NOON = 1_772_366_400_000
WAITS = "import sys; sys.stdin.read(); import time; time.sleep(60)"


def an_order(folder: Path, name: str, asked: int = NOON) -> BackfillOrder:
    order = BackfillOrder(id=name, asked=asked, begin=NOON, end=NOON + 1)
    write_file(folder / f"{name}{ORDER}", order)
    return order


def running(folder: Path, program: str) -> tuple[Orders, list[str]]:
    """Orders that run this Python program, and the ids that they began with."""
    begun: list[str] = []

    def spec_of(order: BackfillOrder) -> ChildSpec:
        begun.append(order.id)
        return ChildSpec(
            name="backfill",
            title="Backfill",
            command=(sys.executable, "-c", program),
            log=folder / f"{order.id}{LOG}",
            environment={},
        )

    seconds = iter(range(10_000))
    return Orders(folder, spec_of, tick=lambda: float(next(seconds))), begun


def state(folder: Path, name: str) -> str | None:
    progress = progress_of(folder, name)
    return progress.state if progress else None


def looks_until(orders: Orders, condition: Callable[[], bool]) -> None:
    wait_until(lambda: orders.look() or condition(), 60)


def test_orders_run_one_after_the_other_the_oldest_first(tmp_path: Path) -> None:
    an_order(tmp_path, "second", NOON + 1)
    an_order(tmp_path, "first")
    orders, begun = running(tmp_path, "print('hello')")
    looks_until(orders, lambda: state(tmp_path, "second") == "done")
    assert begun == ["first", "second"]
    assert (tmp_path / f"first{LOG}").read_text() == "hello\n"
    done = progress_of(tmp_path, "first")
    assert done is not None
    assert done.ended is not None
    assert done.ended >= done.started


def test_one_that_fails_says_so(tmp_path: Path) -> None:
    an_order(tmp_path, "one")
    orders, _ = running(tmp_path, "import sys; sys.exit('no such time')")
    looks_until(orders, lambda: state(tmp_path, "one") == "failed")
    assert (tmp_path / f"one{LOG}").read_text() == "no such time\n"


def test_a_stop_ends_the_running_one(tmp_path: Path) -> None:
    an_order(tmp_path, "one")
    orders, _ = running(tmp_path, WAITS)
    looks_until(orders, lambda: state(tmp_path, "one") == "running")
    orders.stop()
    assert state(tmp_path, "one") == "failed"


def test_what_a_killed_supervisor_left_running_has_failed(tmp_path: Path) -> None:
    an_order(tmp_path, "one")
    left = BackfillProgress(state="running", started=NOON)
    write_file(tmp_path / f"one{PROGRESS}", left)
    orders, begun = running(tmp_path, "")
    orders.look()
    assert state(tmp_path, "one") == "failed"
    assert begun == []


def test_only_the_newest_are_remembered(tmp_path: Path) -> None:
    for number in range(KEPT + 3):
        an_order(tmp_path, f"n{number}", NOON + number)
        if number:
            done = BackfillProgress(state="done", started=NOON)
            write_file(tmp_path / f"n{number}{PROGRESS}", done)
    an_order(tmp_path, "new", NOON + 1_000)
    orders, _ = running(tmp_path, "")
    looks_until(orders, lambda: state(tmp_path, "new") == "done")
    assert not (tmp_path / f"n1{ORDER}").exists()
    assert (tmp_path / f"n{KEPT}{ORDER}").exists()


def test_a_folder_that_is_not_there_is_no_order(tmp_path: Path) -> None:
    orders, begun = running(tmp_path / "none", "")
    orders.look()
    assert begun == []
    assert not (tmp_path / "none").exists()
