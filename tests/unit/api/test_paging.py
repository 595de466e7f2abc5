"""Pages of the session list: whole, in order, and each session once, while others come."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from api.history.models import SessionRow
from api.history.sorting import SortName
from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session
from tests.support.paging import SORTS, a_numbered_session, all_pages, whole_list

numbers = st.integers(0, 3)
shapes = st.lists(st.tuples(numbers, numbers, numbers), max_size=12)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return new_history(tmp_path_factory.mktemp("history"))


def emptied(engine: Engine) -> HistoryWriter:
    with engine.begin() as connection:
        for table in ("sessions", "session_revisions"):
            connection.execute(text(f"DELETE FROM {table}"))
    return HistoryWriter(engine, clock=lambda: NOON)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shapes, shapes, st.sampled_from(SORTS), st.integers(1, 4))
def test_pages_neither_skip_nor_repeat_while_sessions_come(
    engine: Engine,
    before: list[tuple[int, int, int]],
    between: list[tuple[int, int, int]],
    sort: SortName,
    limit: int,
) -> None:
    there = [a_numbered_session(n, *shape) for n, shape in enumerate(before)]
    coming = [a_numbered_session(100 + n, *shape) for n, shape in enumerate(between)]
    emptied(engine).take([a_slice("sessions", [None, *there])])
    seen = all_pages(engine, {"sort": sort, "limit": str(limit)}, coming)
    assert len(seen) == len(set(seen))
    assert {one.session_id for one in there} <= set(seen)
    order = whole_list(engine, sort)
    assert seen == [one for one in order if one in set(seen)]


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shapes, shapes, st.sampled_from(SORTS), st.integers(1, 4))
def test_as_of_a_moment_the_list_stays_as_it_was_while_sessions_grow(
    engine: Engine,
    before: list[tuple[int, int, int]],
    after: list[tuple[int, int, int]],
    sort: SortName,
    limit: int,
) -> None:
    writer = emptied(engine)
    there = [a_numbered_session(n, *shape) for n, shape in enumerate(before)]
    writer.take([a_slice("sessions", [None, *there])])
    known = whole_list(engine, sort)
    growth = [
        a_session(f"s{n}", start=NOON, end=NOON + 9 * length, events=9 * events, revision=2)
        for n, (_, length, events) in enumerate(after)
    ]
    query = {"sort": sort, "limit": str(limit), "as_of": "now"}
    assert all_pages(engine, query, growth) == known


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """The API at 13:00 UTC on a history of seven sessions, recorded at noon."""
    folder = tmp_path_factory.mktemp("history")
    sessions = [
        a_session(
            f"s{n}",
            start=NOON + n * MINUTE,
            end=NOON + n * MINUTE + (n * 5 % 7) * MINUTE,
            events=1 + n * 3 % 7,
        )
        for n in range(7)
    ]
    writer = HistoryWriter(new_history(folder), clock=lambda: NOON)
    writer.take([a_slice("sessions", sessions)])
    with client_of(folder, clock=lambda: NOON + 60 * MINUTE) as client:
        yield client


def ids(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["session_id"] for item in answer.json()["items"]]


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("-start", "6543210"),
        ("start", "0123456"),
        ("-end", "4561230"),
        ("end", "0321654"),
        ("-duration", "4152630"),
        ("duration", "0362514"),
        ("-events", "2461350"),
        ("events", "0531642"),
    ],
)
def test_lists_are_sorted(api: httpx.Client, sort: str, order: str) -> None:
    assert ids(api.get("/api/v1/sessions", params={"sort": sort})) == [f"s{n}" for n in order]


def test_a_cursor_belongs_to_its_question(api: httpx.Client) -> None:
    cursor = api.get("/api/v1/sessions?sort=end&limit=2&device=desktop").json()["next_cursor"]
    again = f"cursor={cursor}&sort=end&device=desktop"
    assert ids(api.get(f"/api/v1/sessions?{again}&limit=1")) == ["s2"]
    for foreign in ("sort=-end&device=desktop", "sort=end", "sort=end&device=desktop&as_of=now"):
        refused(api.get(f"/api/v1/sessions?cursor={cursor}&{foreign}"))


def test_a_cursor_is_not_to_be_forged(api: httpx.Client) -> None:
    cursor = api.get("/api/v1/sessions?limit=2").json()["next_cursor"]
    signed = base64.urlsafe_b64decode(cursor + "==")
    for forged in (signed.replace(b"s5", b"s1"), b"\0" * 16 + signed[16:], signed[:-1], b""):
        refused(api.get("/api/v1/sessions", params={"cursor": base64.urlsafe_b64encode(forged)}))


def test_cursors_survive_a_restart_and_hold_in_one_history_only(tmp_path: Path) -> None:
    cursors = []
    for name in ("here", "elsewhere"):
        folder = tmp_path / name
        folder.mkdir()
        HistoryWriter(new_history(folder)).take(
            [a_slice("sessions", [a_session("a"), a_session("b")])]
        )
        with client_of(folder, clock=lambda: NOON) as client:
            cursors.append(client.get("/api/v1/sessions?limit=1").json()["next_cursor"])
    with client_of(tmp_path / "here", clock=lambda: NOON + 1) as client:
        assert ids(client.get(f"/api/v1/sessions?cursor={cursors[0]}")) == ["a"]
        refused(client.get(f"/api/v1/sessions?cursor={cursors[1]}"))


def refused(answer: httpx.Response) -> None:
    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["parameter"] == "cursor"
    assert error["detail"] == "must be the next_cursor of an earlier answer to the same question"


def test_relative_times_stay_where_they_were_on_the_first_page(tmp_path: Path) -> None:
    now = [NOON + 60 * MINUTE]
    HistoryWriter(new_history(tmp_path)).take(
        [a_slice("sessions", [a_session("a"), a_session("b"), a_session("c")])]
    )
    with client_of(tmp_path, clock=lambda: now[0]) as client:
        first = client.get("/api/v1/sessions?from=-1h&limit=2")
        now[0] += MINUTE
        second = client.get(
            f"/api/v1/sessions?from=-1h&limit=2&cursor={first.json()['next_cursor']}"
        )
        assert ids(first) + ids(second) == ["c", "b", "a"]
        assert ids(client.get("/api/v1/sessions?from=-1h")) == []


def test_chosen_fields(api: httpx.Client) -> None:
    query = "/api/v1/sessions?limit=1&fields=start,session_id,geo.country&fields=agent.browser"
    (item,) = api.get(query).json()["items"]
    assert item == {
        "session_id": "s6",
        "start": NOON + 6 * MINUTE,
        "geo": {"country": "DE"},
        "agent": {"browser": "Firefox"},
    }


def test_a_field_of_nothing_is_null(tmp_path: Path) -> None:
    HistoryWriter(new_history(tmp_path)).take([a_slice("sessions", [a_session(country=None)])])
    with client_of(tmp_path) as client:
        (item,) = client.get("/api/v1/sessions?fields=geo.country,geo").json()["items"]
    assert item == {"geo": None}


@pytest.mark.parametrize("fields", ["nothing", "", "geo.planet", "start.geo", "session_id,,start"])
def test_unknown_fields_are_named(api: httpx.Client, fields: str) -> None:
    answer = api.get("/api/v1/sessions", params={"fields": fields})
    assert answer.status_code == 422
    assert "a session has no" in answer.json()["errors"][0]["detail"]


def test_the_count_is_of_all_pages(api: httpx.Client) -> None:
    def counted(query: str) -> Any:
        return api.get(f"/api/v1/sessions?limit=1&{query}").json().get("count")

    assert counted("count=exact") == {"sessions": 7, "is_exact": True}
    assert counted("count=exact&duration_min=3m") == {"sessions": 4, "is_exact": True}
    assert counted("count=estimated") == {"sessions": 7, "is_exact": True}, "few are counted"
    assert counted("count=exact&as_of=now") == {"sessions": 7, "is_exact": True}
    assert counted("") is None


def test_many_are_estimated(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    made_up = {
        '"session_id"': "'c' || value",
        '"country"': "CASE WHEN value % 4 THEN 'DE' ELSE 'FR' END",
    }
    names = [f'"{column.name}"' for column in SessionRow.__table__.columns]
    copy = text(
        f"INSERT INTO sessions ({', '.join(names)}) "
        f"SELECT {', '.join(made_up.get(name, name) for name in names)} "
        "FROM sessions, json_each((SELECT json_group_array(n) FROM (WITH RECURSIVE c(n) AS "
        "(SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 50000) SELECT n FROM c)))"
    )
    HistoryWriter(engine).take([a_slice("sessions", [a_session(country="DE")])])
    with engine.begin() as connection:
        connection.execute(copy)
    with client_of(tmp_path) as client:
        count = client.get("/api/v1/sessions?limit=1&country=FR&count=estimated").json()["count"]
        rare = client.get("/api/v1/sessions?limit=1&country=PL&count=estimated").json()["count"]
    assert count["is_exact"] is False
    assert 11_000 < count["sessions"] < 14_000
    assert rare == {"sessions": 0, "is_exact": True}


@pytest.mark.parametrize(
    ("as_of", "detail"),
    [
        (NOON + 60 * MINUTE + 1, "must not be in the future"),
        (NOON - 1, "what the history knew before that is not kept"),
    ],
)
def test_as_of_what_nobody_knows(tmp_path: Path, as_of: int, detail: str) -> None:
    engine = new_history(tmp_path)
    HistoryWriter(engine, clock=lambda: NOON, keeps_revisions=False).take(
        [a_slice("sessions", [a_session()])]
    )
    with client_of(tmp_path, clock=lambda: NOON + 60 * MINUTE) as client:
        answer = client.get(f"/api/v1/sessions?as_of={as_of}")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["parameter"] == "as_of"
    assert detail in error["detail"]
