"""Sample visitors can be asked for where a demo has some, and nowhere else."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.access.rules import needed_scope
from contracts import steering
from contracts.steering import Act, TrafficNow, TrafficWish, Wishes
from tests.support.api import client_of
from tests.support.history import new_history

PLACE = "/api/v1/sample-traffic"
CROWD = Act(number=3, kind="crowd", people=9, seconds=5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "steering"
    made.mkdir()
    return made


@pytest.fixture
def client(tmp_path: Path, folder: Path) -> Iterator[httpx.Client]:
    new_history(tmp_path).dispose()
    with client_of(tmp_path, steering_dir=str(folder)) as client:
        yield client


def say(folder: Path, visitors: float, ago_s: float = 0) -> None:
    now = int((time.time() - ago_s) * 1000)
    steering.write(folder, TrafficNow(time=now, traffic=TrafficWish(visitors_per_minute=visitors)))


def test_a_demo_without_visitors_gets_some(client: httpx.Client, folder: Path) -> None:
    say(folder, 0)
    steering.write(folder, Wishes(acts=(CROWD,)))
    assert client.get(PLACE).json() == {"available": True, "visitors_per_minute": 0}
    asked = client.post(PLACE, json={"visitors_per_minute": 40})
    assert (asked.status_code, asked.json()["visitors_per_minute"]) == (200, 40)
    wishes = steering.read(folder, Wishes)
    assert wishes == Wishes(traffic=TrafficWish(visitors_per_minute=40), acts=(CROWD,))
    (entry,) = client.get("/api/v1/audit").json()["items"]
    assert (entry["action"], entry["detail"]) == ("sample_traffic_set", "40 visitors a minute")


def test_where_no_traffic_runs_nobody_can_be_sent(client: httpx.Client, folder: Path) -> None:
    say(folder, 40, ago_s=60)
    assert client.get(PLACE).json() == {"available": False, "visitors_per_minute": None}
    refused = client.post(PLACE, json={"visitors_per_minute": 40})
    assert (refused.status_code, "./clickwake demo" in refused.json()["detail"]) == (404, True)
    assert steering.read(folder, Wishes) is None


def test_only_who_administers_may_send_visitors() -> None:
    assert (needed_scope("GET", PLACE), needed_scope("POST", PLACE)) == ("read", "admin")
