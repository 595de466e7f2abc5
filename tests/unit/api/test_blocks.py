"""Blocks: when they are built, what makes them stale, and what is kept of them in memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, delete, inspect, select, text, update

from api.calendar import Range
from api.history.blocks.builder import Builder
from api.history.blocks.columns import Column, decoded, encoded, visitor_number
from api.history.blocks.memory import Memory, Version
from api.history.blocks.reading import sessions_of
from api.history.engine import migrate, open_engine
from api.history.models import BlockRow, SessionRow, StaleHourRow
from api.history.writer import HistoryWriter
from tests.support.history import a_slice, new_history, session_before_the_beacon
from tests.support.messages import a_session

HOUR = 3_600_000
NOON = 1_772_366_400_000
"""2026-03-01 12:00 UTC, the 492,324th hour."""

NOON_HOUR = 492_324


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = new_history(tmp_path)
    yield engine
    engine.dispose()


def tell(engine: Engine, session_id: str, start: int, **fields: object) -> None:
    session = a_session(session_id, start=start, end=start, **fields)
    HistoryWriter(engine).take([a_slice("sessions", [session])])


def noted(engine: Engine) -> set[int]:
    with engine.connect() as connection:
        return set(connection.execute(select(StaleHourRow.hour)).scalars())


def built(engine: Engine) -> dict[int, int]:
    row = BlockRow
    with engine.connect() as connection:
        found = connection.execute(select(row.hour, row.sessions).where(row.name == "start"))
        return {row.hour: row.sessions for row in found}


def build(engine: Engine, now: int) -> int:
    return Builder(engine, lambda: now, breath=0).build()


def test_an_hour_is_built_two_hours_after_its_end(engine: Engine) -> None:
    tell(engine, "ann", NOON)
    tell(engine, "ben", NOON + HOUR - 1)
    assert build(engine, NOON + 3 * HOUR - 1) == 0
    assert build(engine, NOON + 3 * HOUR) == 1
    assert built(engine) == {NOON_HOUR: 2}
    assert noted(engine) == set()


def test_a_session_that_moves_makes_both_hours_stale(engine: Engine) -> None:
    tell(engine, "ann", NOON)
    build(engine, NOON + 9 * HOUR)
    tell(engine, "ann", NOON - 1, revision=2)
    assert noted(engine) == {NOON_HOUR - 1, NOON_HOUR}
    build(engine, NOON + 9 * HOUR)
    assert built(engine) == {NOON_HOUR - 1: 1}


def test_what_is_outranked_by_an_earlier_revision_changes_nothing(engine: Engine) -> None:
    tell(engine, "ann", NOON, revision=5)
    build(engine, NOON + 9 * HOUR)
    tell(engine, "ann", NOON, revision=4)
    assert noted(engine) == set()


def test_deleting_a_session_deletes_the_blocks_of_its_hour_at_once(engine: Engine) -> None:
    tell(engine, "ann", NOON)
    tell(engine, "ben", NOON + HOUR)
    build(engine, NOON + 9 * HOUR)
    with engine.begin() as connection:
        connection.execute(delete(SessionRow).where(SessionRow.session_id == "ann"))
    assert built(engine) == {NOON_HOUR + 1: 1}
    assert noted(engine) == {NOON_HOUR}


def test_a_change_by_hand_is_noted(engine: Engine) -> None:
    tell(engine, "ann", NOON)
    build(engine, NOON + 9 * HOUR)
    with engine.begin() as connection:
        connection.execute(update(SessionRow).values(country="FR"))
    assert noted(engine) == {NOON_HOUR}


def test_the_triggers_outlive_all_migrations(engine: Engine) -> None:
    with engine.connect() as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'sessions'"
        names = set(connection.execute(text(query)).scalars())
    assert {"stale_on_insert", "stale_on_update", "stale_on_delete"} <= names


def test_a_history_of_before_is_noted_whole(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'old.db'}")
    session_before_the_beacon(engine)
    migrate(engine)
    with engine.connect() as connection:
        (start,) = connection.execute(select(SessionRow.start)).scalars()
        assert "session_blocks" in inspect(connection).get_table_names()
    assert noted(engine) == {start // HOUR}


def test_hours_without_blocks_are_read_from_sessions_until_they_are_too_many(
    engine: Engine,
) -> None:
    for number in range(25):
        tell(engine, f"s{number}", NOON + number * HOUR)
    day, longer = Range(NOON, NOON + 24 * HOUR), Range(NOON, NOON + 25 * HOUR)
    with engine.connect() as connection:
        found = sessions_of(connection, Memory(), day, ["country"])
        assert found is not None
        assert len(found) == 24
        assert sessions_of(connection, Memory(), longer, ["country"]) is None
    build(engine, NOON + 99 * HOUR)
    with engine.connect() as connection:
        found = sessions_of(connection, Memory(), longer, ["country"])
        assert found is not None
        assert len(found) == 25


def test_times_before_1970_are_left_to_the_database(engine: Engine) -> None:
    with engine.connect() as connection:
        assert sessions_of(connection, Memory(), Range(-1, NOON), []) is None


@pytest.mark.parametrize(
    "values", [[], [0, 255], [0, 256], [-1, 2**31 - 1], [2**31, -(2**62)], [2**63 - 1]]
)
def test_a_column_comes_back_as_it_was(values: list[int]) -> None:
    column = decoded(encoded(Column(np.array(values, np.int64), ("DE", None, ""))))
    assert column.array.tolist() == values
    assert list(column.texts) == ["DE", None, ""]


def test_visitors_of_two_sites_are_two() -> None:
    assert visitor_number("shop", "ann") == visitor_number("shop", "ann")
    assert visitor_number("shop", "ann") != visitor_number("blog", "ann")
    assert visitor_number("a", "bc") != visitor_number("ab", "c")


def test_memory_forgets_what_was_asked_for_longest_ago() -> None:
    memory = Memory(most_bytes=24)
    dictionary = memory.begin()
    for hour in (1, 2, 3):
        memory.keep(Version(hour, 7), "events", Column(np.array([hour], np.int64)), dictionary)
        memory.held([Version(1, 7)], "events", dictionary)
    memory.keep(Version(4, 7), "events", Column(np.array([4], np.int64)), dictionary)
    asked = [Version(1, 7), Version(2, 7), Version(3, 7), Version(4, 7), Version(1, 8)]
    held = memory.held(asked, "events", dictionary)
    assert {version: array.tolist() for version, array in held.items()} == {
        Version(1, 7): [1],
        Version(3, 7): [3],
        Version(4, 7): [4],
    }


def test_memory_begins_anew_when_texts_are_too_many() -> None:
    memory = Memory(most_texts=1)
    first = memory.begin()
    country = Column(np.array([0, 1, 0], np.uint8), ("DE", None))
    assert memory.keep(Version(1, 7), "country", country, first).tolist() == [0, 1, 0]
    second = memory.begin()
    assert second is not first
    assert memory.held([Version(1, 7)], "country", second) == {}
    # Who still counts with the first goes on with it.
    assert first["country"].values == ["DE", None]
    assert memory.held([Version(1, 7)], "country", first) == {}
