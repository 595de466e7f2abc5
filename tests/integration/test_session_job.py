"""The real session job between real Kafka topics."""

import base64
import json
import time
from pathlib import Path

import pytest

from spark_jobs.parse import Record
from spark_jobs.stream import NEEDS_A_PERSON
from tests.support.job import (
    Job,
    TopicReader,
    latest_sessions,
    produce,
    replay_records,
    running_job,
)
from tests.support.journey import Journey, record_of
from tests.support.session_cases import CASES, assert_expected, records_of
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PATIENCE_S = 120


def now_ms() -> int:
    return int(time.time() * 1000)


def journey_now(visitor: str, *pauses_ms: int) -> list[Record]:
    """A visitor's views that start now."""
    journey = Journey(visitor)
    journey.time = now_ms()
    journey.view("/first")
    for pause in pauses_ms:
        journey.view("/next", after=pause)
    return [record_of(event, 0) for event in journey.events]


def test_shared_cases_bad_records_and_good_ones_between_them(kafka, tmp_path):
    by_case = {name: records_of(name) for name in CASES}
    bad = [
        None if case.get("tombstone") else base64.b64decode(case["b64"])
        for case in map(
            json.loads,
            Path("tests/fixtures/cases/bad_records.jsonl").read_text().splitlines(),
        )
    ]
    bad += [b"5 MB" * 1_310_720, b'{"watermark":12}', b'{"watermark":"x","turn":0}']
    broken = [Record(None if value else b"some-key", value, 0, 0) for value in bad]
    with running_job(kafka, tmp_path):
        everything = [record for records in by_case.values() for record in records]
        replay_records(kafka, everything[:200] + broken + everything[200:])
        sessions, dead = TopicReader(kafka, "sessions"), TopicReader(kafka, "dead-letters")
        expected_dead = len(broken) + 7
        wait_until(
            lambda: (
                len(dead.read()) >= expected_dead and len(latest_sessions(sessions.read())) >= 100
            ),
            PATIENCE_S,
            "dead letters and sessions",
        )
        stats = TopicReader(kafka, "bucket-stats")
        wait_until(
            lambda: sum(_newest(stats.read()).values()) == len(everything) + len(broken),
            PATIENCE_S,
            "the whole ledger",
        )
        sessions.read()
    found = list(latest_sessions(sessions.messages).values())
    assert {session.status for session in found} == {"final"}
    for name in CASES:
        own = [session for session in found if session.site_id == name]
        bad_times = sum(
            name in base64.b64decode(letter.raw).decode("latin-1") for letter in dead.messages
        )
        assert_expected(name, own, bad_times)
    assert len({(d.partition, d.offset) for d in dead.messages}) == expected_dead


def _newest(stats):
    return {(s.topic, s.partition, s.bucket): s.tally.requests for s in stats}


def test_silence_closes_sessions_on_an_idle_topic(kafka, tmp_path):
    rules = {"gap": "2s", "watermark_delay": "1s", "allowed_lateness": "2s"}
    with running_job(kafka, tmp_path, **rules):
        sessions = TopicReader(kafka, "sessions")
        produce(kafka, "requests", journey_now("ann", 100, 100))
        wait_until(sessions.read, PATIENCE_S, "an open session")
        wait_until(
            lambda: [s.status for s in latest_sessions(sessions.read()).values()] == ["final"],
            PATIENCE_S,
            "the session to become final without any further event",
        )
    (session,) = latest_sessions(sessions.messages).values()
    assert (session.events, session.duration_ms) == (3, 200)
    revisions = [update.revision for update in sessions.messages]
    assert revisions == sorted(revisions)


def test_a_killed_job_goes_on_where_it_was_and_a_term_ends_it_cleanly(kafka, tmp_path):
    job = Job(kafka, tmp_path)
    sessions, events = TopicReader(kafka, "sessions"), TopicReader(kafka, "events")
    job.start()
    try:
        produce(kafka, "requests", journey_now("ann"))
        wait_until(sessions.read, PATIENCE_S, "the first update")
        job.kill()
        produce(kafka, "requests", journey_now("bob"))
        job.start()
        wait_until(
            lambda: {s.visitor_id for s in sessions.read()} == {"ann", "bob"},
            PATIENCE_S,
            "the update after the kill",
        )
        assert job.stop() == 0
    finally:
        job.kill()
    assert {event.event_id for event in events.read()} == {"ann-0000", "bob-0000"}
    assert len({update.epoch for update in sessions.messages}) == 1


def test_a_checkpoint_of_other_buckets_is_refused_with_what_to_do(kafka, tmp_path):
    first = Job(kafka, tmp_path, buckets="8")
    first.start()
    wait_until((tmp_path / "checkpoint" / "clickwake.json").exists, PATIENCE_S, "the checkpoint")
    first.kill()
    second = Job(kafka, tmp_path, buckets="16")
    second.log.unlink()
    second.start()
    assert second.wait() == NEEDS_A_PERSON
    text = second.log.read_text()
    assert "made with buckets=8 and cannot go on with 16" in text
    assert "Traceback" not in text
