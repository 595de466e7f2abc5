"""Backfills ordered over HTTP: left for a supervisor, or told as a command."""

import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from contracts.backfills import (
    LOG,
    PROGRESS,
    BackfillProgress,
    orders_in,
    write_file,
)
from tests.support.api import client_of
from tests.support.history import new_history

BACKFILLS = "/api/v1/backfills"
NOON = 1_772_366_400_000
DAY = {"begin": NOON, "end": NOON + 86_400_000, "site": "shop"}
COMMAND = "./clickwake backfill --from 2026-03-01T12:00:00Z --to 2026-03-02T12:00:00Z --site shop"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backfills"


@pytest.fixture
def api(tmp_path: Path, folder: Path) -> Iterator[httpx.Client]:
    new_history(tmp_path).dispose()
    with client_of(tmp_path, clock=lambda: NOON, backfill_dir=str(folder)) as client:
        yield client


def test_an_order_waits_then_tells_what_its_command_said(api: httpx.Client, folder: Path) -> None:
    made = api.post(BACKFILLS, json=DAY)
    assert made.status_code == 201
    assert (made.json()["state"], made.json()["command"]) == ("waiting", COMMAND)
    (order,) = orders_in(folder)
    assert (order.begin, order.end, order.site, order.asked) == (*DAY.values(), NOON)
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    write_file(
        folder / f"{order.id}{PROGRESS}",
        BackfillProgress(state="done", started=NOON, ended=NOON + 5),
    )
    (folder / f"{order.id}{LOG}").write_bytes(
        b"10 %\r100 %\n\x1b[31mThe history has them\x1b[0m.\n"
    )
    found = api.get(BACKFILLS).json()
    assert found["runs_here"] is True
    (item,) = found["items"]
    assert (item["state"], item["ended"]) == ("done", NOON + 5)
    assert item["output"] == "100 %\nThe history has them."
    entry = api.get("/api/v1/audit").json()["items"][0]
    assert (entry["action"], entry["detail"]) == ("backfill_ordered", COMMAND)


@pytest.mark.parametrize(
    "change",
    [{"end": NOON}, {"begin": 5}, {"site": "--api=http://elsewhere"}, {"site": ""}, {"x": 1}],
)
def test_what_is_no_period_is_refused(
    api: httpx.Client, folder: Path, change: dict[str, object]
) -> None:
    assert api.post(BACKFILLS, json=DAY | change).status_code == 422
    assert not folder.exists()


def test_without_a_supervisor_the_command_is_told(tmp_path: Path) -> None:
    new_history(tmp_path).dispose()
    with client_of(tmp_path) as api:
        assert api.get(BACKFILLS).json() == {"runs_here": False, "items": []}
        refused = api.post(BACKFILLS, json=DAY)
    assert refused.status_code == 409
    assert refused.json()["detail"] == f"Nobody runs it from here. Run it yourself: {COMMAND}"
