"""Which sessions a list has, by every property. The same cases run on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from api.history.engine import migrate, open_engine
from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.filtering import CASES, EVENTS, NOW, SESSIONS
from tests.support.history import a_slice, filtered_before_the_columns, new_history
from tests.support.messages import a_session, an_event


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("history")
    writer = HistoryWriter(new_history(folder))
    writer.take([a_slice("sessions", SESSIONS), a_slice("events", EVENTS)])
    with client_of(folder, clock=lambda: NOW) as client:
        yield client


@pytest.mark.parametrize(("query", "expected"), CASES, ids=lambda case: str(case)[:60])
def test_sessions_are_chosen(
    api: httpx.Client, query: dict[str, str | list[str]], expected: list[str]
) -> None:
    answer = api.get("/api/v1/sessions", params=query)
    assert answer.status_code == 200, answer.text
    assert [item["session_id"] for item in answer.json()["items"]] == expected


@pytest.mark.parametrize(
    ("name", "value", "detail"),
    [
        ("from", "-5y", "a time before now such as -24h"),
        ("from", "24h", "a time before now such as -24h"),
        ("to", "-61m", "must not be before from"),
        ("tz", "Mars/Olympus", "must be an IANA time zone"),
        ("city", "a\0b", "must not hold a null character"),
        ("city", "a" * 2_049, "must not be longer than 2048 characters"),
        ("country", "DE," * 101 + "FR", "must not have more than 100 values"),
        ("country", "!Germany", "must be ISO 3166-1 alpha-2 codes"),
        ("status", "!open,!closed,!final", "must leave one of open, closed, final"),
        ("entry", "!", "must be a path such as /cart"),
        ("path", "", "must be a path such as /cart"),
        ("path", "/\0", "must not hold a null character"),
        ("path", "/" * 2_049, "must not be longer than 2048 characters"),
        ("q", "\0", "must not hold a null character"),
        ("q", " ", "must be one to 8 words"),
        ("q", "a b c d e f g h i", "must be one to 8 words"),
        ("duration_min", "5 m", "must be a duration such as 90s"),
        ("duration_max", "-1s", "must be a duration such as 90s"),
        ("duration_max", "999999999999w", "must be a duration such as 90s"),
        ("events_min", "-1", "greater than or equal to 0"),
        ("events_max", "1e30", "valid integer"),
        ("bounce", "perhaps", "valid boolean"),
    ],
)
def test_a_value_that_cannot_be_is_named(
    api: httpx.Client, name: str, value: str, detail: str
) -> None:
    more = {"from": "-1h"} if name == "to" else {}
    answer = api.get("/api/v1/sessions", params=more | {name: value})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["parameter"] == name
    assert detail in error["detail"]


def test_one_time_zone_is_given_once(api: httpx.Client) -> None:
    answer = api.get("/api/v1/sessions?time_zone=Europe/Berlin&tz=Asia/Tokyo")
    assert "does not go together with time_zone" in answer.json()["errors"][0]["detail"]
    assert api.get("/api/v1/sessions?time_zone=Asia/Tokyo&tz=Asia/Tokyo").status_code == 200


def test_null_characters_in_what_was_seen_do_no_harm(tmp_path: Path) -> None:
    writer = HistoryWriter(new_history(tmp_path))
    writer.take([a_slice("sessions", [a_session(exit_page="/a\0b")])])
    writer.take([a_slice("events", [an_event(path="/a\0b")])])
    with client_of(tmp_path) as client:
        for query in ("exit=/a?b", "path=/a*b"):
            (item,) = client.get(f"/api/v1/sessions?{query}").json()["items"]
            assert item["exit_page"] == "/a\0b"


def test_a_history_of_before_is_filtered_by_its_messages(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'history.db'}")
    filtered_before_the_columns(engine)
    migrate(engine)
    with client_of(tmp_path, clock=lambda: NOW) as client:
        for query, expected in CASES:
            items = client.get("/api/v1/sessions", params=query).json()["items"]
            assert [item["session_id"] for item in items] == expected, query


def test_the_sessions_of_a_visitor_are_found_by_an_index(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    query = (
        "EXPLAIN QUERY PLAN SELECT message FROM sessions WHERE site_id = 's' "
        "AND visitor_id = 'v' ORDER BY start DESC, session_id DESC"
    )
    with engine.connect() as connection:
        (plan,) = connection.execute(text(query)).all()
    assert "USING INDEX sessions_of_visitor" in plan.detail
