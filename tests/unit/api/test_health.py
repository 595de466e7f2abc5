"""Health: what is wrong, and what follows from it."""

from pathlib import Path

import msgspec
import pytest

from api.feed import FeedState
from api.health import (
    Component,
    Components,
    consumer_component,
    database_component,
    geo_component,
    is_ready,
    job_component,
)
from tests.support.api import client_of
from tests.support.messages import NOON, a_job_status

GOOD = Component(ok=True, detail="")
BAD = Component(ok=False, detail="")
ALL_GOOD = Components(database=GOOD, consumer=GOOD, live=GOOD, job=GOOD, geo=GOOD, dashboards=GOOD)


@pytest.mark.parametrize(
    ("broken", "ready"),
    [("database", False), ("consumer", False), ("live", False), ("job", True), ("geo", True)],
)
def test_readiness_hangs_on_the_database_and_the_consumers(broken: str, ready: bool) -> None:
    assert is_ready(msgspec.structs.replace(ALL_GOOD, **{broken: BAD})) is ready


def test_the_job() -> None:
    assert not job_component(None, NOON).ok
    assert job_component(a_job_status(NOON), NOON + 30_000).ok
    silent = job_component(a_job_status(NOON), NOON + 30_001)
    assert not silent.ok
    assert "silent since 2026-03-01 12:00:00 UTC" in silent.detail


def test_a_job_before_its_first_batch_is_not_ok_yet() -> None:
    starting = job_component(a_job_status(NOON, batch=-1), NOON)
    assert (starting.ok, starting.detail) == (False, "starting: its first batch is not finished")


DOWN = FeedState(False, "NoBrokersAvailable", 0, False)
NO_TOPICS = FeedState(False, "these topics do not exist yet: clickwake.events", 0, False)


@pytest.mark.parametrize(
    ("component", "action"),
    [
        (database_component("sqlite", "database or disk is full"), "Make room"),
        (consumer_component(DOWN, 0), "Start Kafka"),
        (consumer_component(NO_TOPICS, 0), "`./clickwake job`, which creates them"),
        (consumer_component(FeedState(True, "connected", 5000, False), 0), "Wait"),
        (job_component(None, NOON), "Start it with `./clickwake job`"),
        (job_component(a_job_status(NOON), NOON + 60_000), "`./clickwake logs job`"),
        (job_component(a_job_status(NOON, batch=-1), NOON), "Wait"),
        (job_component(a_job_status(NOON, problem="no checkpoint"), NOON), "Do what that says"),
        (geo_component(None), "Start it with `./clickwake job`"),
        (geo_component(a_job_status(geo_ok=False, geo_detail="missing")), "Put a whole MMDB"),
    ],
)
def test_what_is_not_ok_says_what_to_do_in_a_sentence(component: Component, action: str) -> None:
    assert not component.ok
    assert component.detail
    assert action in component.todo
    assert component.todo.endswith(".")


def test_what_is_ok_asks_for_nothing() -> None:
    caught_up = consumer_component(FeedState(True, "connected", 3, True), 0)
    fine = [database_component("sqlite", None), caught_up, job_component(a_job_status(NOON), NOON)]
    assert [(one.ok, one.todo) for one in fine] == [(True, "")] * 3


def test_geo_says_why() -> None:
    why = geo_component(a_job_status(geo_ok=False, geo_detail="no MMDB: set CLICKWAKE_JOB_GEO"))
    assert (why.ok, why.detail) == (False, "no MMDB: set CLICKWAKE_JOB_GEO")


def test_a_consumer() -> None:
    assert "refused" in consumer_component(FeedState(False, "refused", 0, False), 0).detail
    behind = consumer_component(FeedState(True, "connected", 5000, False), 2)
    assert not behind.ok
    assert "5000 records to go; 2 unreadable records were skipped" in behind.detail
    assert consumer_component(FeedState(True, "connected", 3, True), 0).ok


def test_alive_is_not_ready(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        alive, ready = client.get("/healthz"), client.get("/readyz")
    assert (alive.status_code, ready.status_code) == (200, 503)
    assert alive.json()["alive"] is True
    assert ready.json()["ready"] is False
    assert not ready.json()["components"]["database"]["ok"]


def test_a_job_that_only_a_person_can_help_says_how() -> None:
    refused = job_component(a_job_status(NOON, batch=-1, problem="go back to a savepoint"), NOON)
    assert (refused.ok, refused.detail) == (False, "go back to a savepoint")
