"""Savepoints and places to start at, by the command line, with real jobs on a real Kafka."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from tests.integration.test_session_job import journey_now
from tests.support.job import TopicReader, latest_sessions, produce
from tests.support.job_stack import PATIENCE_S, JobStack
from tests.support.kafka import fresh_topics
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def kafka(broker: EmbeddedBroker) -> KafkaSettings:
    return fresh_topics(broker)


def content(sessions: TopicReader, epoch: int | None = None) -> dict[str, Any]:
    """What consumers know of each session, but for who said it when."""
    chosen = [one for one in sessions.read() if epoch is None or one.epoch == epoch]
    return {
        key: {
            name: value for name, value in _fields(one) if name not in ("epoch", "processed_time")
        }
        for key, one in latest_sessions(chosen).items()
    }


def _fields(update: Any) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(update, name)) for name in update.__struct_fields__)


def all_final(sessions: TopicReader, visitors: set[str], epoch: int | None = None) -> bool:
    found = content(sessions, epoch).values()
    final = {one["visitor_id"] for one in found if one["status"] == "final"}
    return visitors <= final and all(one["status"] == "final" for one in found)


def test_back_three_savepoints_and_the_history_is_the_same(kafka, tmp_path):
    here, there = JobStack(kafka, tmp_path / "here"), JobStack(kafka, tmp_path / "there")
    sessions = TopicReader(kafka, "sessions")
    visitors: set[str] = set()

    def visit(name: str) -> None:
        produce(kafka, "requests", journey_now(name, 100, 200))
        visitors.add(name)

    with here.running():
        for number in (1, 2, 3):
            visit(f"before-{number}")
            wait_until(lambda: visitors <= {s.visitor_id for s in sessions.read()}, PATIENCE_S)
            assert f"Savepoint point-{number} in" in here.done(
                "savepoint", "create", f"point-{number}"
            )
            visit(f"after-{number}")
        wait_until(lambda: all_final(sessions, visitors), PATIENCE_S, "all sessions final")
    first, epoch = content(sessions), here.manifest()["epoch"]
    listed = here.done("savepoint", "list")
    assert all(f"point-{number}" in listed for number in (1, 2, 3))

    for number in (3, 1):
        said = here.done("savepoint", "restore", f"point-{number}")
        assert f"checkpoint.{epoch}" in said.replace("\n", "")
        assert here.manifest()["epoch"] > epoch
        epoch = here.manifest()["epoch"]
        with here.running():
            later = {one for one in visitors if int(one[-1]) > number} | {f"after-{number}"}
            wait_until(partial(all_final, sessions, later, epoch), PATIENCE_S, "the replay")
        assert content(sessions) == first

    # The second on a folder that has never had a job, from the savepoint's path.
    there.done("savepoint", "restore", str(here.data / "savepoints/point-2"))
    epoch = there.manifest()["epoch"]
    with there.running():
        wait_until(lambda: all_final(sessions, {"after-2", "after-3"}, epoch), PATIENCE_S)
    assert content(sessions) == first


def test_what_cannot_go_on_is_refused_and_changes_nothing(kafka, broker, tmp_path):
    here = JobStack(kafka, tmp_path / "here")
    with here.running():
        produce(kafka, "requests", journey_now("ann"))
        here.done("savepoint", "create", "point")
        taken = here.run("savepoint", "create", "point")
        assert (taken.returncode, "there is a savepoint point" in taken.stderr) == (1, True)
        wait_until(lambda: here.job_status() == "ready", PATIENCE_S, "the job goes on")
        before = here.manifest()
        other = here.run("savepoint", "restore", "point", CLICKWAKE_JOB_BUCKETS="16")
        assert (other.returncode, "unset that" in other.stderr) == (1, True)
    point = here.data / "savepoints/point"
    saved = json.loads((point / "savepoint.json").read_bytes())
    for change, sentence in [
        ({"cluster": "another"}, "it is of the Kafka cluster another"),
        ({"versions": saved["versions"] | {"spark": "3.5.1"}}, "it is Spark 3.5.1's"),
        ({"manifest": saved["manifest"] | {"state_version": 99}}, "its state has version 99"),
        (
            {"offsets": {kafka.topic("requests"): {"0": 10**9}}},
            "Kafka has nothing beyond",
        ),
    ]:
        (point / "savepoint.json").write_text(json.dumps(saved | change))
        refused = here.run("savepoint", "restore", "point")
        assert (refused.returncode, sentence in refused.stderr) == (1, True), refused.stderr
    (point / "savepoint.json").write_text(json.dumps(saved))
    victim = point / "checkpoint/offsets/0"
    victim.write_bytes(victim.read_bytes() + b" ")
    damaged = here.run("savepoint", "restore", "point")
    assert "is damaged: checkpoint/offsets/0 changed" in damaged.stderr
    assert here.manifest() == before
    assert [one.name for one in here.data.glob("checkpoint*")] == ["checkpoint"]
    here.done("savepoint", "delete", "point")
    assert "There are no savepoints" in here.done("savepoint", "list")


def test_a_killed_savepoint_leaves_no_half_one_and_the_job_goes_on(kafka, tmp_path):
    here = JobStack(kafka, tmp_path / "here")
    sessions = TopicReader(kafka, "sessions")
    with here.running():
        command = subprocess.Popen(
            [sys.executable, "-m", "infra.cli", "savepoint", "create", "x", "--data", here.data],
            env=here.environment,
            stdout=subprocess.DEVNULL,
        )
        wait_until(lambda: here.job_status() == "held", PATIENCE_S, "the hold")
        os.kill(command.pid, signal.SIGKILL)
        command.wait()
        wait_until(lambda: here.job_status() == "ready", PATIENCE_S, "the job goes on")
        produce(kafka, "requests", journey_now("ann"))
        wait_until(sessions.read, PATIENCE_S, "a session")
        assert "There are no savepoints" in here.done("savepoint", "list")
        here.done("savepoint", "create", "x")


@pytest.mark.parametrize("place", ["latest", "time"])
def test_a_new_checkpoint_starts_where_it_is_told(kafka, tmp_path, place):
    here = JobStack(kafka, tmp_path / "here")
    sessions = TopicReader(kafka, "sessions")
    produce(kafka, "requests", journey_now("early"))
    if place == "time":
        # What stands between is of a time that the next record's append time exceeds.
        (record,) = journey_now("marker")
        start = str(json.loads(record.value)["event_time"] + 1)
        wait_until(lambda: json.loads(journey_now("x")[0].value)["event_time"] > int(start), 10)
        produce(kafka, "requests", journey_now("late"))
    else:
        start = "latest"
    with here.running("--from", start):
        if place == "latest":
            produce(kafka, "requests", journey_now("late"))
        wait_until(sessions.read, PATIENCE_S, "a session")
        assert {update.visitor_id for update in sessions.read()} == {"late"}
    refused = here.run("job", "--from", "earliest")
    assert refused.returncode == 1
    assert "add --new-checkpoint" in refused.stderr
    epoch = here.manifest()["epoch"]
    with here.running("--from", "earliest", "--new-checkpoint"):
        wait_until(lambda: "early" in {s.visitor_id for s in sessions.read()}, PATIENCE_S)
    assert here.manifest()["epoch"] > epoch
    assert (here.data / f"checkpoint.{epoch}/clickwake.json").exists()


def test_a_place_that_is_none_is_said_before_anything_starts(kafka, tmp_path):
    here = JobStack(kafka, tmp_path / "here")
    refused = here.run("job", "--from", "yesterday")
    assert refused.returncode == 1
    assert "'yesterday' is no place to start at: write earliest, latest, or" in refused.stderr
