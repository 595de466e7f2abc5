"""The pipeline's state, its lists, and who may see and do what."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from api.live.meter import RECENT_BATCHES, Meter
from api.pipeline.places import Position, RecordPlace, cursor_of, place_of, position_of
from api.pipeline.records import Record
from api.pipeline.replaying import records_of, sort_out
from contracts import RequestEvent, Tally, partition_key
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import (
    MINUTE,
    NOON,
    a_bucket,
    a_dead_letter,
    a_job_status,
    a_late_event,
    an_event,
    an_interceptor,
)
from tests.support.requests import a_request

DAY = 24 * 60 * MINUTE
PLACE = RecordPlace("clickwake.requests", 0, 7)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=lambda: NOON + MINUTE) as client:
        yield client


def keep(engine: Engine, role: str, *messages: Any) -> None:
    HistoryWriter(engine).take([a_slice(role, messages)])


def get(api: httpx.Client, path: str) -> Any:
    answer = api.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def letters(number: int, **fields: Any) -> list[Any]:
    return [msgspec.structs.replace(a_dead_letter(n), **fields) for n in range(number)]


def test_what_is_wrong_comes_first_with_what_to_do(api: httpx.Client, engine: Engine) -> None:
    keep(engine, "bucket-stats", a_bucket(0, Tally(requests=3, events=2)))
    keep(engine, "interceptor-stats", an_interceptor(lost={"queue_full": 2}, spooled=3))
    keep(engine, "late-events", a_late_event())
    keep(engine, "dead-letters", *letters(2))
    found = get(api, "pipeline")["findings"]
    named = {one["check"]: (one["level"], one["what"], one["todo"]) for one in found}
    assert named["ledger"][0] == "problem"
    assert "clickwake ledger --buckets" in named["ledger"][2]
    assert named["lost requests"][:2] == (
        "warning",
        "Requests that should have been logged were lost: 2 queue_full.",
    )
    assert named["dead letters"][1] == (
        "2 records of the last 24 hours could not be read, most for not_json (2)."
    )
    assert named["late events"][1] == "In no session: 1 late event."
    assert named["spools"][1] == "On the sites' disks: 3 events."
    assert named["session job"][2] == "Start it with `./clickwake job`."
    levels = [one["level"] for one in found]
    assert levels == sorted(levels, key=["problem", "warning", "note", "ok"].index)


def test_a_partition_is_as_far_as_the_bucket_that_spoke_last(
    api: httpx.Client, engine: Engine
) -> None:
    """One that has nothing to do is silent, which does not mean that it is behind."""
    keep(
        engine,
        "bucket-stats",
        a_bucket(0, watermark=NOON - 5_000, processed_time=NOON + 5_000, visitors=2),
        a_bucket(1, watermark=NOON - 90_000, processed_time=NOON - 80_000),
        a_bucket(2, partition=1, watermark=NOON),
    )
    first, second = get(api, "pipeline")["partitions"]
    assert (first["partition"], first["buckets"], first["visitors"]) == (0, 2, 3)
    assert (first["watermark"], first["told"]) == (NOON - 5_000, NOON + 5_000)
    assert (second["partition"], second["watermark"]) == (1, NOON)


def test_batches_are_remembered_each_once_and_not_for_ever() -> None:
    meter = Meter(NOON)
    meter.see([a_job_status(NOON + n // 2, batch=n // 2) for n in range(4 * RECENT_BATCHES)])
    numbers = [one.batch for one in meter.recent]
    assert numbers == list(range(RECENT_BATCHES, 2 * RECENT_BATCHES))


def test_dead_letters_are_paged_newest_first_without_their_bytes(
    api: httpx.Client, engine: Engine
) -> None:
    keep(engine, "dead-letters", *letters(3), *letters(2, partition=1, broker_time=NOON - DAY))
    keep(engine, "dead-letters", *letters(1, partition=2, reason="wrong_key"))
    pages, cursor = [], ""
    while True:
        page = get(api, f"dead-letters?limit=2{cursor}")
        pages.append([item["id"].removeprefix("clickwake.requests:") for item in page["items"]])
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert pages == [["2:0", "0:2"], ["0:1", "0:0"], ["1:1", "1:0"]]
    only = get(api, "dead-letters?reason=wrong_key")["items"]
    assert [item["id"] for item in only] == ["clickwake.requests:2:0"]
    assert "raw" not in only[0]
    reasons = get(api, "pipeline")["dead_letters"]
    assert [(one["reason"], one["count"], one["last_day"]) for one in reasons] == [
        ("not_json", 5, 3),
        ("wrong_key", 1, 1),
    ]


@pytest.mark.parametrize(
    "question",
    ["dead-letters?reason=bored", "dead-letters?cursor=bm9uc2Vuc2U", "late-events?limit=0"],
)
def test_what_cannot_be_asked_is_a_422(api: httpx.Client, question: str) -> None:
    assert api.get(f"/api/v1/{question}").status_code == 422


def test_a_late_event_says_whether_a_backfill_placed_it(api: httpx.Client, engine: Engine) -> None:
    keep(engine, "late-events", a_late_event("placed", offset=1), a_late_event("not", offset=2))
    keep(engine, "events", an_event("placed"))
    found = get(api, "late-events")["items"]
    assert [(one["event"]["event_id"], one["placed"]) for one in found] == [
        ("not", False),
        ("placed", True),
    ]


def test_without_kafka_the_raw_record_is_the_historys_with_addresses_cut(
    api: httpx.Client, engine: Engine
) -> None:
    raw = base64.b64encode(b'{"ip":"81.2.69.142",').decode()
    keep(engine, "dead-letters", *letters(1, raw=raw, raw_size=20))
    found = get(api, "dead-letters/clickwake.requests:0:0/raw")
    assert (found["source"], found["text"], found["size"]) == (
        "history",
        '{"ip":"81.2.69.0",',
        20,
    )
    entry = get(api, "audit")["items"][0]
    assert (entry["action"], entry["subject"]) == (
        "dead_letter_read",
        "dead letter clickwake.requests:0:0",
    )
    assert api.get("/api/v1/dead-letters/clickwake.requests:0:9/raw").status_code == 404


def test_without_kafka_nothing_is_replayed(api: httpx.Client, engine: Engine) -> None:
    keep(engine, "dead-letters", *letters(1))
    answer = api.post("/api/v1/dead-letters/replay", json={})
    assert answer.status_code == 503
    assert "nothing was sent" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "dead-letters/clickwake.requests:0:0/raw"),
        ("POST", "dead-letters/replay"),
        ("POST", "backfills"),
    ],
)
def test_only_an_administrator_sees_raw_bytes_and_acts(
    tmp_path: Path, method: str, path: str
) -> None:
    key = new_key(tmp_path, "read", "erase", "export", "ingest")
    with client_of(tmp_path, require_keys=True) as api:
        refused = api.request(method, f"/api/v1/{path}", json={}, headers=bearer(key))
        assert refused.status_code == 403
        assert "'admin'" in refused.json()["detail"]
        assert api.get("/api/v1/dead-letters", headers=bearer(key)).status_code == 200


def test_a_record_under_a_wrong_key_is_sent_under_its_own() -> None:
    event = RequestEvent(**a_request())
    record = Record(b"wrong", msgspec.json.encode(event))
    done = sort_out([PLACE], {PLACE: record})
    assert done.refused == []
    (sent,) = records_of(done.readable)
    assert sent.key == partition_key(event.site_id, event.visitor_id)
    assert msgspec.json.decode(sent.value, type=RequestEvent) == event


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "has no value"),
        (b"{", "Still unreadable"),
        (msgspec.json.encode(a_request(schema_version=99)), "schema_version 99"),
        (msgspec.json.encode(a_request(event_time=5)), "not within 2000 to 2099"),
    ],
)
def test_what_would_be_a_dead_letter_again_is_refused(value: bytes | None, why: str) -> None:
    done = sort_out([PLACE], {PLACE: Record(None, value)})
    assert done.readable == []
    assert why in done.refused[0].why


def test_what_kafka_has_dropped_is_refused() -> None:
    assert "no longer has" in sort_out([PLACE], {}).refused[0].why


def test_ids_and_cursors_are_read_as_they_were_written() -> None:
    assert place_of(str(PLACE)) == PLACE
    assert position_of(cursor_of(Position(NOON, PLACE))) == Position(NOON, PLACE)
    for wrong in ("", "a:b:c", "clickwake.requests:0", "x/y:0:1"):
        with pytest.raises(ValueError, match="no record's id"):
            place_of(wrong)
