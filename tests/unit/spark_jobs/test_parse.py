"""One bad record costs one dead letter with a reason; the good one after it is processed."""

import base64
import json
from pathlib import Path

import msgspec
import pytest

from contracts.outcomes import RAW_LIMIT
from spark_jobs.parse import Record
from tests.support.buckets import BucketRun
from tests.support.journey import Journey, record_of

GOOD = Journey("ann").view("/good").events[0]
WHOLE = msgspec.to_builtins(GOOD)
CASES = Path("tests/fixtures/cases/bad_records.jsonl")


def without(name):
    return json.dumps({key: value for key, value in WHOLE.items() if key != name}).encode()


def having(**changes):
    return json.dumps(WHOLE | changes).encode()


BAD = [
    (None, "tombstone"),
    (b"", "empty"),
    (b"  \n", "empty"),
    (b"{", "not_json"),
    (b"hello", "not_json"),
    (b"\xff\xfe", "not_utf8"),
    (having().replace(b"/good", b"/\xff"), "not_utf8"),
    (b"[]", "not_an_object"),
    (b"null", "not_an_object"),
    (b"7", "not_an_object"),
    (b" " * (5 * 1024 * 1024), "too_large"),
    (having(path="/" + "x" * 5_000_000), "too_large"),
    (having(schema_version=2), "unknown_schema_version"),
    (having(schema_version=2, path=None), "unknown_schema_version"),
    (having(schema_version="1"), "unknown_schema_version"),
    (without("visitor_id"), "missing_field"),
    (without("event_time"), "event_time_missing"),
    (having(event_time=None), "event_time_missing"),
    (having(event_time="2026-02-30T00:00:00Z"), "event_time_unreadable"),
    (having(event_time=-1), "event_time_out_of_range"),
    (having(event_time=9e18), "event_time_out_of_range"),
    (having(event_time=10**400), "event_time_out_of_range"),
    (having(event_time=[1]), "wrong_type"),
    (having(sequence=2**70), "invalid_value"),
    (having(sequence=-(2**70)), "invalid_value"),
    (having(sequence=10**400), "invalid_value"),
    (having(duration_ms=1e300), "invalid_value"),
    (having(duration_ms=-1), "invalid_value"),
    (having(event_time=True), "wrong_type"),
    (having(status="200"), "wrong_type"),
    (having(status=99), "invalid_value"),
    (having(kind="video"), "invalid_value"),
    (having(site_id="a/b"), "invalid_value"),
    (having(visitor_id=""), "invalid_value"),
    (having(path="x" * 3000), "invalid_value"),
    (having(visitor_id="someone-else"), "wrong_key"),
]


@pytest.mark.parametrize(("value", "reason"), BAD)
def test_becomes_one_dead_letter_and_the_next_event_lives(value, reason):
    good = record_of(GOOD, 1)
    run = BucketRun().feed([Record(good.key, value, 0, good.broker_time), good])
    (letter,) = run.dead
    assert letter.reason == reason
    assert letter.detail
    raw = value or b""
    assert base64.b64decode(letter.raw) == raw[:RAW_LIMIT]
    assert letter.raw_size == len(raw)
    (session,) = run.sessions().values()
    assert session.entry_page == "/good"
    assert (run.tally.requests, run.tally.events, run.tally.dead_letters) == (2, 1, 1)


@pytest.mark.parametrize("line", CASES.read_text().splitlines())
def test_reported_cases(line):
    case = json.loads(line)
    value = None if case.get("tombstone") else base64.b64decode(case["b64"])
    good = record_of(GOOD, 1)
    run = BucketRun().feed([Record(b"some-key", value, 0, good.broker_time), good])
    assert len(run.dead) == 1
    assert run.tally.events == 1


def test_a_record_without_a_key_says_what_the_key_must_be():
    good = record_of(GOOD, 0)
    run = BucketRun().feed([Record(None, good.value, 0, good.broker_time)])
    assert run.dead[0].reason == "wrong_key"
    assert "site_id/visitor_id" in run.dead[0].detail


def test_fields_of_a_later_minor_version_are_ignored():
    value = having(brand_new_field={"x": 1})
    good = record_of(GOOD, 0)
    run = BucketRun().feed([Record(good.key, value, 0, good.broker_time)])
    assert run.tally.events == 1
