"""A session is found under every id that its visitor had, as ids rotate."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine, select, text

from api.history.keeper import Keeper
from api.history.models import SessionNameRow
from api.history.retention import Limits
from api.history.writer import HistoryWriter
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session

DAY = 24 * 60 * MINUTE


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(tmp_path: Path, engine: Engine) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=lambda: NOON + 5 * MINUTE) as client:
        yield client


def found(api: httpx.Client, visitor: str, **more: str) -> list[str]:
    query = {"visitor": visitor, "fields": "session_id"} | more
    items = api.get("/api/v1/sessions", params=query).json()["items"]
    return [item["session_id"] for item in items]


def names(engine: Engine) -> list[tuple[str, str, int]]:
    row = SessionNameRow
    with engine.connect() as connection:
        return [
            tuple(one)
            for one in connection.execute(select(row.session_id, row.visitor_id, row.revision))
        ]


def test_a_visitor_has_the_sessions_of_all_ids(engine: Engine, api: httpx.Client) -> None:
    over_midnight = a_session("night", visitor_id="a", other_visitor_ids=["b"], start=NOON)
    next_day = a_session("day", visitor_id="b", start=NOON + MINUTE)
    HistoryWriter(engine).take([a_slice("sessions", [over_midnight, next_day])])
    assert found(api, "a") == ["night"]
    assert found(api, "b") == ["day", "night"]
    page = api.get("/api/v1/visitors/b?site=shop").json()
    assert (page["sessions"], page["first_start"]) == (2, NOON)
    assert [item["session_id"] for item in page["items"]] == ["day", "night"]


def test_a_name_counts_from_the_first_version_that_had_it(
    engine: Engine, api: httpx.Client
) -> None:
    clock = iter([NOON, NOON + MINUTE])
    writer = HistoryWriter(engine, clock=lambda: next(clock))
    writer.take([a_slice("sessions", [a_session(visitor_id="a")])])
    named = [a_session(visitor_id="a", other_visitor_ids=["b"], revision=n) for n in (4, 3, 5)]
    writer.take([a_slice("sessions", [named[0]]), a_slice("sessions", named[1:], 1)])
    assert found(api, "b") == ["s1"]
    assert found(api, "b", as_of=str(NOON)) == []
    assert found(api, "a", as_of=str(NOON)) == ["s1"]


def test_news_of_before_do_not_move_a_name(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    for revision in (4, 3, 5):
        named = a_session(other_visitor_ids=["b"], revision=revision)
        writer.take([a_slice("sessions", [named], revision)])
    assert names(engine) == [("s1", "b", 3)]


def test_names_leave_with_their_session(engine: Engine) -> None:
    old = a_session("old", other_visitor_ids=["b"], status="final")
    young = a_session("young", other_visitor_ids=["c"], start=NOON + DAY, status="final")
    HistoryWriter(engine).take([a_slice("sessions", [old, young])])
    limits = Limits(revisions=DAY, history=DAY)
    Keeper(engine, limits, lambda: NOON + DAY + MINUTE).forget()
    assert [name for _, name, _ in names(engine)] == ["c"]


def test_further_names_are_found_by_an_index(engine: Engine) -> None:
    query = "EXPLAIN QUERY PLAN SELECT session_id FROM session_names WHERE visitor_id = 'v'"
    with engine.connect() as connection:
        (plan,) = connection.execute(text(query)).all()
    assert "USING COVERING INDEX names_of_visitor" in plan.detail
