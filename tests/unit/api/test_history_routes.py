"""The history over HTTP."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from contracts import EnrichedEvent, SessionUpdate
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session, an_event

HOUR = 60 * MINUTE


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    """The API on that history, at 13:00 UTC."""
    with client_of(tmp_path, clock=lambda: NOON + HOUR) as client:
        yield client


def keep(engine: Engine, *messages: SessionUpdate | EnrichedEvent) -> None:
    writer = HistoryWriter(engine)
    for message in messages:
        role = "sessions" if isinstance(message, SessionUpdate) else "events"
        writer.take([a_slice(role, [message])])


def ids(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["session_id"] for item in answer.json()["items"]]


def test_sessions_are_listed_newest_first_with_every_field(
    api: httpx.Client, engine: Engine
) -> None:
    keep(engine, a_session("a"), a_session("c", start=NOON + 1), a_session("b"))
    answer = api.get("/api/v1/sessions")
    assert ids(answer) == ["c", "b", "a"]
    assert set(answer.json()["items"][0]) == set(SessionUpdate.__struct_fields__)


def test_pages_neither_skip_nor_repeat_while_sessions_start(
    api: httpx.Client, engine: Engine
) -> None:
    keep(engine, *(a_session(f"s{n:02}", start=NOON + n // 3) for n in range(10)))
    seen, cursor = [], None
    for turn in range(4):
        parameters = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        answer = api.get("/api/v1/sessions", params=parameters)
        seen += ids(answer)
        cursor = answer.json()["next_cursor"]
        keep(engine, a_session(f"new{turn}", start=NOON + MINUTE))
    assert seen == [f"s{n:02}" for n in reversed(range(10))]
    assert cursor is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["merger", "bot", "late", "fr", "de"]),
        ("from=2026-03-01T12:00:02Z&to=2026-03-01T12:00:04Z", ["bot", "late"]),
        (f"from={NOON + 2000}&to={NOON + 4000}", ["bot", "late"]),
        ("from=2026-03-01T13:00:02%2B01:00", ["merger", "bot", "late"]),
        ("from=2026-03-01T13:00:02+01:00", ["merger", "bot", "late"]),
        ("country=fr", ["fr"]),
        ("country=DE,FR&bots=exclude", ["merger", "fr", "de"]),
        ("country=unknown", ["late"]),
        ("country=unknown&country=FR", ["late", "fr"]),
        ("status=open", ["merger", "bot", "fr"]),
        ("status=closed,final", ["late", "de"]),
        ("bots=only", ["bot"]),
        ("site=blog", []),
    ],
)
def test_lists_are_filtered(
    api: httpx.Client, engine: Engine, query: str, expected: list[str]
) -> None:
    keep(
        engine,
        a_session("de", status="final"),
        a_session("fr", start=NOON + 1000, country="FR"),
        a_session("late", start=NOON + 2000, country=None, status="closed"),
        a_session("bot", start=NOON + 3000, is_bot=True),
        a_session("merger", start=NOON + 4000),
        a_session("gone", start=NOON + 5000, status="merged", merged_into="merger"),
    )
    assert ids(api.get(f"/api/v1/sessions?{query}")) == expected


def test_a_session_comes_with_its_events_in_order(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_session(end=NOON + MINUTE, events=3),
        an_event("e3", event_time=NOON + MINUTE),
        an_event("e2", sequence=1),
        an_event("e1", sequence=1),
        an_event("e0"),
        an_event("before", event_time=NOON - 1),
        an_event("after", event_time=NOON + MINUTE + 1),
        an_event("other", visitor_id="another"),
    )
    answer = api.get("/api/v1/sessions/s1").json()
    assert answer["session"]["session_id"] == "s1"
    assert [event["event_id"] for event in answer["events"]] == ["e0", "e1", "e2", "e3"]
    said = msgspec.to_builtins(an_event())
    assert set(answer["events"][0]) == set(said)
    assert answer["events_truncated"] is False


def test_a_session_of_a_visitor_whose_id_rotated_has_the_events_of_both_ids(
    api: httpx.Client, engine: Engine
) -> None:
    names = {"visitor_id": "~3f7.a", "other_visitor_ids": ["~3f7.b"]}
    keep(
        engine,
        a_session(end=NOON + MINUTE, events=2, **names),
        an_event("before", visitor_id="~3f7.a"),
        an_event("after", visitor_id="~3f7.b", event_time=NOON + MINUTE),
        an_event("stranger", visitor_id="~3f7.c"),
    )
    answer = api.get("/api/v1/sessions/s1").json()
    assert answer["session"]["other_visitor_ids"] == ["~3f7.b"]
    assert [event["event_id"] for event in answer["events"]] == ["before", "after"]


def test_a_very_long_session_is_cut(api: httpx.Client, engine: Engine) -> None:
    HistoryWriter(engine).take([a_slice("events", [an_event(f"{n}") for n in range(5001)])])
    keep(engine, a_session(events=5001))
    answer = api.get("/api/v1/sessions/s1").json()
    assert (len(answer["events"]), answer["events_truncated"]) == (5000, True)


def test_a_merged_session_leads_to_its_last_successor(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_session("a", status="merged", merged_into="b/2"),
        a_session("b/2", status="merged", merged_into="c d"),
        a_session("c d"),
    )
    answer = api.get("/api/v1/sessions/a")
    assert (answer.status_code, answer.headers["location"]) == (308, "/api/v1/sessions/c%20d")
    assert answer.headers["cache-control"] == "no-store", "it may come back"
    assert api.get(answer.headers["location"]).json()["session"]["session_id"] == "c d"


def test_a_chain_of_merges_may_be_long(api: httpx.Client, engine: Engine) -> None:
    """A log read backwards moves a visitor's first event back with every record."""
    chain = [f"s{n}" for n in range(300)]
    merged = [a_session(one, status="merged", merged_into=into) for one, into in pairwise(chain)]
    keep(engine, *merged, a_session(chain[-1]))
    answer = api.get("/api/v1/sessions/s0")
    assert (answer.status_code, answer.headers["location"]) == (308, "/api/v1/sessions/s299")


def test_sessions_merged_in_a_circle_lead_nowhere(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_session("a", status="merged", merged_into="b"),
        a_session("b", status="merged", merged_into="c"),
        a_session("c", status="merged", merged_into="b"),
    )
    for one in "abc":
        assert api.get(f"/api/v1/sessions/{one}").status_code == 404


def test_stats_sum_up_people_by_default(api: httpx.Client, engine: Engine) -> None:
    keep(
        engine,
        a_session("bounced", status="closed"),
        a_session("call", status="final", pages=0, api_calls=1),
        a_session("long", end=NOON + 9000, status="final", events=3, pages=2, api_calls=1),
        a_session("open", end=NOON + 4000, events=2, pages=2, country=None),
        a_session("bot", is_bot=True, status="final"),
        a_session("gone", status="merged", merged_into="long"),
        a_session("yesterday", start=NOON - 24 * HOUR),
        an_event("e1"),
        an_event("e2", kind="api", event_time=NOON + 59_999),
        an_event("e3", is_bot=True),
    )
    answer = api.get("/api/v1/stats").json()
    minutes = {m["minute"]: (m["pages"], m["api_calls"]) for m in answer.pop("per_minute")}
    assert len(minutes) == 60
    assert minutes[NOON] == (1, 1)
    assert sum(sum(counts) for counts in minutes.values()) == 2
    days = {day["day"]: day["sessions"] for day in answer.pop("per_day")}
    assert days == {"2026-02-28": 0, "2026-03-01": 4}
    assert answer == {
        "from": NOON - 23 * HOUR,
        "to": NOON + HOUR,
        "time_zone": "UTC",
        "sessions": 4,
        "open_sessions": 1,
        "events": 7,
        "pages": 5,
        "api_calls": 2,
        "custom_events": 0,
        "engaged_ms": 0,
        "bounce_rate": 0.3333,
        "median_duration_ms": 2000,
        "average_duration_ms": 3250,
        "bots": 1,
        "countries": [{"country": "DE", "sessions": 3}, {"country": None, "sessions": 1}],
        "channels": [{"channel": "direct", "sessions": 4}],
        "browsers": [{"browser": "Firefox", "sessions": 4}],
        "devices": [{"device": "desktop", "sessions": 4}],
        "entry_pages": [{"entry_page": "/", "sessions": 4}],
        "event_names": [],
    }


def test_reading_a_page_is_a_bounce_and_a_custom_event_is_none(
    api: httpx.Client, engine: Engine
) -> None:
    keep(
        engine,
        a_session("looked", status="final"),
        a_session("read", status="final", events=2, engaged_ms=40_000),
        a_session("signed-up", status="final", events=2, custom_events=1, engaged_ms=2_000),
        a_session("called", status="final", events=2, api_calls=1),
    )
    answer = api.get("/api/v1/stats").json()
    assert answer["bounce_rate"] == 0.5
    assert (answer["custom_events"], answer["engaged_ms"]) == (1, 42_000)


def test_custom_events_are_counted_by_name(api: httpx.Client, engine: Engine) -> None:
    custom = {"kind": "custom", "origin": "beacon"}
    keep(
        engine,
        an_event("e1", name="signup", **custom),
        an_event("e2", name="add to cart", **custom),
        an_event("e3", name="signup", **custom),
        an_event("e4", name="signup", is_bot=True, **custom),
        an_event("e5", name="early", event_time=NOON - 24 * HOUR, **custom),
        an_event("e6"),
        an_event("e7", kind="engagement", origin="beacon", engaged_ms=900),
    )
    answer = api.get("/api/v1/stats").json()
    assert answer["event_names"] == [
        {"name": "signup", "events": 2},
        {"name": "add to cart", "events": 1},
    ]
    assert sum(m["pages"] + m["api_calls"] for m in answer["per_minute"]) == 1


def test_a_timeline_has_what_the_script_said(api: httpx.Client, engine: Engine) -> None:
    said = {"kind": "custom", "origin": "beacon", "name": "sign\0up", "properties": {"plan": "pro"}}
    keep(engine, a_session(), an_event("e1", **said))
    (event,) = api.get("/api/v1/sessions/s1").json()["events"]
    assert {name: event[name] for name in said} == said


@pytest.mark.parametrize(("bots", "sessions"), [("include", 2), ("only", 1), ("exclude", 1)])
def test_stats_of_bots(api: httpx.Client, engine: Engine, bots: str, sessions: int) -> None:
    keep(engine, a_session("person"), a_session("bot", is_bot=True))
    assert api.get(f"/api/v1/stats?bots={bots}").json()["sessions"] == sessions


def test_stats_of_nothing(api: httpx.Client) -> None:
    answer = api.get("/api/v1/stats?from=0&to=0").json()
    assert (answer["sessions"], answer["bounce_rate"], answer["median_duration_ms"]) == (
        0,
        None,
        None,
    )
    assert answer["per_minute"] == []


def problem(answer: httpx.Response) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == answer.status_code
    assert found["title"]
    assert found["detail"]
    return found


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("/api/v1/sessions?limit=0", "limit"),
        ("/api/v1/sessions?limit=1001", "limit"),
        ("/api/v1/sessions?limit=x", "limit"),
        ("/api/v1/sessions?from=yesterday", "from"),
        ("/api/v1/sessions?from=99999999999999999999", "from"),
        ("/api/v1/sessions?from=2026-02-30T00:00:00Z", "from"),
        ("/api/v1/sessions?from=2026-03-01T12:00:00", "from"),
        ("/api/v1/sessions?from=5&to=4", "to"),
        ("/api/v1/sessions?country=Germany", "country"),
        ("/api/v1/sessions?status=merged", "status"),
        ("/api/v1/sessions?bots=maybe", "bots"),
        ("/api/v1/sessions?cursor=abc", "cursor"),
        ("/api/v1/sessions?cursor=%C3%A4", "cursor"),
        ("/api/v1/sessions?site=", "site"),
        ("/api/v1/sessions?site=a%00b", "site"),
        ("/api/v1/sessions?statsu=open", "statsu"),
        ("/api/v1/stats?bots=", "bots"),
        ("/api/v1/stats?to=never", "to"),
    ],
)
def test_a_bad_parameter_is_named(api: httpx.Client, path: str, parameter: str) -> None:
    found = problem(api.get(path))
    assert found["status"] == 422
    (error,) = found["errors"]
    assert (error["in"], error["parameter"]) == ("query", parameter)
    assert error["detail"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/sessions/none", 404),
        ("GET", "/api/v1/none", 404),
        ("GET", "/none", 404),
        ("POST", "/api/v1/sessions", 405),
        ("HEAD", "/api/v1/stats", 405),
        ("DELETE", "/", 405),
    ],
)
def test_every_error_is_a_problem(api: httpx.Client, method: str, path: str, status: int) -> None:
    answer = api.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    if status == 405:
        assert "GET" in answer.headers["allow"]
    if method != "HEAD":
        problem(answer)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/v1/login", "GET, POST"),
        ("/api/v1/logout", "POST"),
        ("/api/v1/live/tickets", "POST"),
        ("/readyz", "GET, HEAD"),
    ],
)
def test_an_address_tells_all_of_its_methods(api: httpx.Client, path: str, methods: str) -> None:
    for method in {"GET", "PUT", "OPTIONS"} - set(methods.split(", ")):
        answer = api.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods)


def test_a_body_that_is_no_text_is_told(api: httpx.Client) -> None:
    headers = {"Content-Type": "application/json"}
    answer = api.post("/api/v1/login", content=b"\xff{}", headers=headers)
    assert problem(answer)["detail"] == "The body could not be read: it must be JSON in UTF-8."
    assert answer.status_code == 400


def test_a_missing_database_is_a_503(api: httpx.Client, engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE sessions")
    answer = api.get("/api/v1/sessions")
    assert problem(answer)["status"] == 503
    assert answer.headers["retry-after"]


def test_a_failure_keeps_its_secrets(
    api: httpx.Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the password is 1234")

    monkeypatch.setattr("api.history.repository.session", fail)
    found = problem(api.get("/api/v1/sessions/x"))
    assert found["status"] == 500
    assert "1234" not in str(found)
    reference = found["detail"].rpartition(" ")[2].rstrip(".")
    assert reference in caplog.text
    assert reference == found["request_id"]
