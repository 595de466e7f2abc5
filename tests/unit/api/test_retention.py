"""What is too old leaves the history, a little at a time, and nothing else does."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select, text

from api.access import audit
from api.access.audit import Entry
from api.history import retention, room
from api.history.facts import moment
from api.history.keeper import Keeper
from api.history.models import EventRow, LateEventRow, RevisionRow
from api.history.retention import Limits
from api.history.writer import HistoryWriter
from tests.support.history import a_slice, new_history, session_rows
from tests.support.messages import NOON, a_dead_letter, a_late_event, a_session, an_event

HOUR = 60 * 60_000
DAY = 24 * HOUR
LIMITS = Limits(revisions=HOUR, history=7 * DAY)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


def rows(engine: Engine, model: type) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(model)).scalar_one()


def test_old_sessions_and_events_go_and_open_sessions_stay(engine: Engine) -> None:
    HistoryWriter(engine, clock=lambda: NOON).take(
        [
            a_slice(
                "sessions",
                [
                    a_session("old", status="final"),
                    a_session("merged", status="merged", merged_into="old"),
                    a_session("still open"),
                    a_session("young", start=NOON + HOUR, status="closed"),
                ],
            ),
            a_slice("events", [an_event("old"), an_event("young", event_time=NOON + HOUR)]),
            a_slice("late-events", [a_late_event()]),
            a_slice("dead-letters", [a_dead_letter()]),
        ]
    )
    now = NOON + LIMITS.history + HOUR
    assert Keeper(engine, LIMITS, lambda: now).forget() == 4
    assert set(session_rows(engine)) == {"still open", "young"}
    assert rows(engine, EventRow) == 2, "a session may have begun a day before it ended"
    assert rows(engine, LateEventRow) == 0
    assert Keeper(engine, LIMITS, lambda: now + DAY).forget() == 2
    assert rows(engine, EventRow) == 1


def test_old_entries_of_the_audit_log_go(engine: Engine) -> None:
    with engine.begin() as connection:
        for hour in range(3):
            audit.record(connection, Entry(f"hour_{hour}", "a test"), NOON + hour * HOUR)
    limits = Limits(revisions=HOUR, history=7 * DAY, audit=HOUR)
    assert Keeper(engine, limits, lambda: NOON + 2 * HOUR).forget() == 1
    with engine.connect() as connection:
        left = audit.newest(connection, 10).items
    assert [entry.action for entry in left] == ["hour_2", "hour_1"]


def test_past_states_go_after_their_time(engine: Engine) -> None:
    for hour in range(3):
        writer = HistoryWriter(engine, clock=lambda at=NOON + hour * HOUR: at)  # type: ignore[misc]
        writer.take([a_slice("sessions", [a_session(revision=hour)])])
    assert rows(engine, RevisionRow) == 2
    Keeper(engine, LIMITS, lambda: NOON + 2 * HOUR + 1).forget()
    assert rows(engine, RevisionRow) == 1
    with engine.connect() as connection:
        assert moment(connection, "revisions_from") == NOON + HOUR + 1


def test_each_transaction_is_small(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "CHUNK", 10)
    events = [an_event(f"e{n}", event_time=NOON - 9 * DAY) for n in range(25)]
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("events", events)])
    assert [n for n in retention.forget(engine, LIMITS, NOON) if n] == [10, 10, 5]


def test_without_revisions_none_are_kept(engine: Engine) -> None:
    writer = HistoryWriter(engine, clock=lambda: NOON, keeps_revisions=False)
    for revision in (1, 2):
        writer.take([a_slice("sessions", [a_session(revision=revision)])])
    assert rows(engine, RevisionRow) == 0
    with engine.connect() as connection:
        assert moment(connection, "revisions_from") == moment(connection, "known_at") == NOON + 1


def test_what_was_replaced_is_kept_once_whatever_is_repeated(engine: Engine) -> None:
    writer = HistoryWriter(engine, clock=lambda: NOON)
    for revision in (1, 3, 2, 3, 1, 4):
        writer.take([a_slice("sessions", [a_session(revision=revision, pages=revision)])])
    found = "SELECT revision, pages, recorded, superseded FROM session_revisions ORDER BY 1"
    with engine.connect() as connection:
        kept = [tuple(row) for row in connection.execute(text(found))]
    assert kept == [(1, 1, NOON, NOON + 1), (3, 3, NOON + 1, NOON + 5)]


def test_the_file_shrinks_when_much_is_deleted(engine: Engine, tmp_path: Path) -> None:
    noise = [an_event(f"e{n}", path="/" + "x" * 1_500, event_time=NOON) for n in range(4_000)]
    writer = HistoryWriter(engine, clock=lambda: NOON)
    writer.take([a_slice("events", noise), a_slice("sessions", [a_session("kept")])])
    before = size_of(engine, tmp_path)
    keeper = Keeper(engine, LIMITS, lambda: NOON + LIMITS.history + 2 * DAY)
    assert keeper.forget() == 4_000
    assert size_of(engine, tmp_path) > before * 0.9
    given = list(room.give_back(engine))
    assert given[:2] == [room.STEP_PAGES, room.STEP_PAGES]
    assert size_of(engine, tmp_path) < before / 3
    assert list(session_rows(engine)) == ["kept"]
    assert keeper.give_back() == 0, "a tenth stays for what comes next"


def test_a_file_that_cannot_shrink_is_left_alone(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "history.db").execute("CREATE TABLE before (x)").close()
    engine = new_history(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO before VALUES (zeroblob(4000000))"))
        connection.execute(text("DELETE FROM before"))
    assert Keeper(engine, LIMITS, lambda: NOON).give_back() == 0


def size_of(engine: Engine, folder: Path) -> int:
    """In bytes, with all that is still in the log."""
    with engine.connect() as connection:
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    return (folder / "history.db").stat().st_size
