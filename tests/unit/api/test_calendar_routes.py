"""Calendar filters over HTTP: a session counts on the day it started, where the reader is.

Berlin's clocks went forward on 2026-03-29; it is 2026-03-30 10:00 UTC, a Monday.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import a_session

HOUR = 3_600_000
BERLIN = "time_zone=Europe/Berlin"


def at(text: str) -> int:
    """``2026-03-29 01:00`` UTC, in ms since 1970."""
    return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


class Clock:
    """Says what it was last set to."""

    now = at("2026-03-30 10:00")

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = new_history(tmp_path)
    starts = {
        "saturday": "2026-03-28 22:59",
        "sunday-first": "2026-03-28 23:00",
        "sunday-last": "2026-03-29 21:59",
        "monday-first": "2026-03-29 22:00",
        "utc-monday": "2026-03-30 00:00",
    }
    # Each lasts over midnight, which changes nothing.
    sessions = [
        a_session(name, start=at(start), end=at(start) + 3 * HOUR, events=2, pages=2)
        for name, start in starts.items()
    ]
    HistoryWriter(engine).take([a_slice("sessions", sessions)])
    return engine


@pytest.fixture
def api(engine: Engine, tmp_path: Path, clock: Clock) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=clock) as client:
        yield client


def ids(answer: httpx.Response) -> set[str]:
    assert answer.status_code == 200, answer.text
    return {item["session_id"] for item in answer.json()["items"]}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"period=today&{BERLIN}", {"monday-first", "utc-monday"}),
        ("period=today", {"utc-monday"}),
        (f"period=yesterday&{BERLIN}", {"sunday-first", "sunday-last"}),
        (f"day=2026-03-29&{BERLIN}", {"sunday-first", "sunday-last"}),
        ("day=2026-03-29", {"sunday-last", "monday-first"}),
        (f"day=2026-03-28&{BERLIN}", {"saturday"}),
        (f"period=this_week&{BERLIN}", {"monday-first", "utc-monday"}),
        (f"period=last_month&{BERLIN}", set()),
        (f"period=this_month&{BERLIN}&limit=1", {"utc-monday"}),
    ],
)
def test_sessions_of_a_calendar_period(api: httpx.Client, query: str, expected: set[str]) -> None:
    assert ids(api.get(f"/api/v1/sessions?{query}")) == expected


@pytest.mark.parametrize("period", ["last_7_days", "this_month"])
def test_longer_periods(api: httpx.Client, period: str) -> None:
    assert len(ids(api.get(f"/api/v1/sessions?period={period}&{BERLIN}"))) == 5


def test_statistics_of_a_day_of_23_hours(api: httpx.Client) -> None:
    answer = api.get(f"/api/v1/stats?period=yesterday&{BERLIN}").json()
    assert (answer["from"], answer["to"]) == (at("2026-03-28 23:00"), at("2026-03-29 22:00"))
    assert (answer["sessions"], answer["time_zone"]) == (2, "Europe/Berlin")


def test_each_day_of_a_range_is_counted(api: httpx.Client) -> None:
    query = f"from=2026-03-28T12:00:00Z&to=2026-03-31T00:00:00Z&{BERLIN}"
    days = api.get(f"/api/v1/stats?{query}").json()["per_day"]
    assert [(day["day"], day["sessions"], day["events"]) for day in days] == [
        ("2026-03-28", 1, 2),
        ("2026-03-29", 2, 4),
        ("2026-03-30", 2, 4),
        ("2026-03-31", 0, 0),
    ]
    assert days[0]["from"] == at("2026-03-28 12:00")
    assert days[1]["to"] - days[1]["from"] == 23 * HOUR


def test_of_a_long_range_the_last_days_are_counted(api: httpx.Client) -> None:
    answer = api.get("/api/v1/stats?from=0&to=2026-03-30T00:00:00Z").json()
    assert answer["sessions"] == 4
    assert len(answer["per_day"]) == 92
    assert answer["per_day"][-1] == {
        "day": "2026-03-29",
        "from": at("2026-03-29 00:00"),
        "to": at("2026-03-30 00:00"),
        "sessions": 2,
        "events": 4,
        "pages": 4,
    }


def test_todays_minutes_are_those_that_have_begun(api: httpx.Client) -> None:
    minutes = api.get("/api/v1/stats?period=today").json()["per_minute"]
    assert minutes[-1]["minute"] == at("2026-03-30 09:59")


def test_pages_of_today_go_on_after_midnight(api: httpx.Client, clock: Clock) -> None:
    query = f"period=today&{BERLIN}&limit=1"
    first = api.get(f"/api/v1/sessions?{query}")
    clock.now += 24 * HOUR
    second = api.get(f"/api/v1/sessions?{query}&cursor={first.json()['next_cursor']}")
    assert ids(first) | ids(second) == {"utc-monday", "monday-first"}
    assert ids(api.get(f"/api/v1/sessions?{query}")) == set()


@pytest.mark.parametrize(
    ("query", "parameter", "detail"),
    [
        ("time_zone=Mars/Olympus", "time_zone", "must be an IANA time zone such as"),
        ("time_zone=", "time_zone", "must be an IANA time zone such as"),
        ("period=today&time_zone=Europe", "time_zone", "must be an IANA time zone such as"),
        ("period=tomorrow", "period", "'today'"),
        ("day=2026-02-29", "day", "must be a day such as 2026-03-01"),
        ("period=today&from=0", "period", "does not go together with from: give one of them"),
        ("day=2026-03-01&from=0&to=5", "day", "does not go together with from and to"),
        ("day=2026-03-01&period=today", "day", "does not go together with period"),
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/sessions", "/api/v1/stats"])
def test_what_cannot_be_asked(
    api: httpx.Client, path: str, query: str, parameter: str, detail: str
) -> None:
    answer = api.get(f"{path}?{query}")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["parameter"] == parameter
    assert detail in error["detail"]


def test_the_parameters_are_documented(api: httpx.Client) -> None:
    paths: dict[str, Any] = api.get("/openapi.json").json()["paths"]
    for path in ("/api/v1/sessions", "/api/v1/stats"):
        described = {one["name"]: one for one in paths[path]["get"]["parameters"]}
        assert described["time_zone"]["schema"]["default"] == "UTC"
        assert "last_month" in str(described["period"])
        assert "2026-03-01" in str(described["day"])
