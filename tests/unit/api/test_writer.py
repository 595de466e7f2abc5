"""The history writer: any order, any repetition, any interruption ends in the same rows."""

import logging
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, inspect, select, text

from api.feed import Bounds
from api.history.changes import changes_by
from api.history.engine import SchemaError, migrate, open_engine
from api.history.models import Base, DeadLetterRow, EventRow, LateEventRow, SessionRow
from api.history.rows import row_of
from api.history.store import stored_positions
from api.history.writer import HistoryWriter, StoppedError
from api.progress import Place
from contracts import ContractError, SessionUpdate
from tests.support.history import (
    a_slice,
    new_history,
    session_before_the_beacon,
    session_rows,
    set_aside,
)
from tests.support.logs import said
from tests.support.messages import (
    NOON,
    a_dead_letter,
    a_late_event,
    a_session,
    an_event,
    encoded,
)

SESSIONS = Place("clickwake.sessions", 0)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


def test_the_highest_epoch_then_revision_wins(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    writer.take([a_slice("sessions", [a_session(epoch=1, revision=9)])])
    writer.take([a_slice("sessions", [a_session(epoch=2, revision=1)])])
    writer.take([a_slice("sessions", [a_session(epoch=1, revision=10)])])
    assert session_rows(engine) == {"s1": (2, 1, "open")}


updates = st.builds(
    lambda session_id, epoch, revision: a_session(
        session_id,
        epoch=epoch,
        revision=revision,
        status="merged" if (epoch + revision) % 3 == 0 else "open",
        merged_into="s0" if (epoch + revision) % 3 == 0 else None,
        pages=revision,
    ),
    st.sampled_from(["s1", "s2", "s3"]),
    st.integers(1, 3),
    st.integers(1, 5),
)


@settings(max_examples=30)
@given(st.lists(updates, min_size=1, max_size=12), st.data())
def test_any_order_repetition_and_batching_gives_the_same_rows(
    history: list[SessionUpdate], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(history + history[: len(history) // 2]))
    cut = data.draw(st.integers(0, len(shuffled)))
    with TemporaryDirectory() as folder:
        engine = new_history(Path(folder))
        writer = HistoryWriter(engine)
        for batch in (shuffled[:cut], shuffled[cut:]):
            if batch:
                writer.take([a_slice("sessions", batch)])
        rows = session_rows(engine)
        engine.dispose()
    best = {}
    for update in history:
        kept = best.get(update.session_id, (0, 0, ""))
        best[update.session_id] = max(kept, (update.epoch, update.revision, update.status))
    assert rows == best


def test_an_event_written_twice_is_one_event(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    writer.take([a_slice("events", [an_event("e1"), an_event("e1"), an_event("e2")])])
    writer.take([a_slice("events", [an_event("e1")], first_offset=3)])
    assert count(engine, EventRow) == 2


def test_dead_letters_and_late_events_are_kept_by_their_place(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    writer.take([a_slice("dead-letters", [a_dead_letter(4), a_dead_letter(4), a_dead_letter(5)])])
    writer.take([a_slice("late-events", [a_late_event("a", offset=6)] * 2)])
    assert (count(engine, DeadLetterRow), count(engine, LateEventRow)) == (2, 1)


def test_reading_goes_on_where_the_last_batch_ended(engine: Engine) -> None:
    bounds = {SESSIONS: Bounds(0, 0, 100)}
    writer = HistoryWriter(engine)
    assert writer.begin(bounds) == {SESSIONS: 0}
    writer.take([a_slice("sessions", [a_session(), None], first_offset=40)])
    assert HistoryWriter(engine).begin(bounds) == {SESSIONS: 42}


def test_a_topic_made_anew_is_read_from_its_start(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    HistoryWriter(engine).take([a_slice("sessions", [a_session()], first_offset=40)])
    assert HistoryWriter(engine).begin({SESSIONS: Bounds(0, 0, 7)}) == {SESSIONS: 0}
    assert "is a new topic" in caplog.text


def test_records_lost_to_retention_are_skipped_and_told(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    HistoryWriter(engine).take([a_slice("sessions", [a_session()], first_offset=40)])
    assert HistoryWriter(engine).begin({SESSIONS: Bounds(50, 50, 70)}) == {SESSIONS: 50}
    assert "9 records were deleted by retention" in caplog.text


@pytest.mark.parametrize(
    "poison",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"session_id": 5}',
        b"[" * 100_000,
        b'{"schema_version": 2}',
    ],
)
def test_a_poison_record_costs_itself_only(
    engine: Engine, caplog: pytest.LogCaptureFixture, poison: bytes
) -> None:
    writer = HistoryWriter(engine)
    with caplog.at_level(logging.WARNING):
        writer.take([a_slice("sessions", [poison, a_session("good")], first_offset=12)])
    assert writer.unreadable == 1
    assert list(session_rows(engine)) == ["good"]
    assert list(set_aside(engine)) == ["sessions/12"]
    assert len(said(caplog, "api.history")) == 1
    assert "clickwake.sessions/0/12" in caplog.text


def test_a_value_that_no_database_holds_costs_its_row_only(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    absurd = a_session("absurd", duration_ms=10**30)
    writer.take([a_slice("sessions", [a_session("a"), absurd, a_session("b")])])
    assert writer.unreadable == 1
    assert sorted(session_rows(engine)) == ["a", "b"]
    assert set_aside(engine) == {"sessions/1": "Python int too large to convert to SQLite INTEGER"}
    with engine.connect() as connection:
        assert stored_positions(connection) == {SESSIONS: 3}


def test_what_is_set_aside_is_kept_once_and_what_came_with_it_too(engine: Engine) -> None:
    values = [a_session(f"s{n}", duration_ms=10**30 if n in {3, 4, 40} else n) for n in range(50)]
    for _ in range(2):
        HistoryWriter(engine).take([a_slice("sessions", [b"{", *values])])
    assert sorted(set_aside(engine)) == ["sessions/0", "sessions/4", "sessions/41", "sessions/5"]
    assert len(session_rows(engine)) == 47


def test_an_update_changes_every_column_and_every_index(engine: Engine) -> None:
    first = a_session(status="open", geo=None)
    second = a_session(
        revision=2, status="final", visitor_id="another", start=NOON - 5, duration_ms=7, pages=3
    )
    for update in (first, second):
        HistoryWriter(engine, clock=lambda: 5).take([a_slice("sessions", [update])])
    with engine.connect() as connection:
        stored = dict(connection.execute(select(SessionRow.__table__)).mappings().one())
        assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
    assert stored == row_of("sessions", second, encoded(second).decode()) | {"recorded": 6}


def test_changes_are_what_is_news_with_what_it_replaces(engine: Engine) -> None:
    HistoryWriter(engine).take([a_slice("sessions", [a_session("a", revision=3, pages=4)])])
    told = [a_session("a", revision=2), a_session("a", revision=4, pages=5), a_session("b")]
    rows = [row_of("sessions", one, "") for one in told]
    with engine.connect() as connection:
        found = changes_by(connection, rows)
    assert [(one.old and one.old["pages"], one.new["session_id"]) for one in found] == [
        (4, "a"),
        (None, "b"),
    ]


def test_other_sites_are_not_kept(engine: Engine) -> None:
    writer = HistoryWriter(engine, {"shop"})
    writer.take([a_slice("sessions", [a_session("a"), a_session("b", site_id="blog")])])
    writer.take([a_slice("late-events", [a_late_event("l", site_id="blog")])])
    assert list(session_rows(engine)) == ["a"]
    assert count(engine, LateEventRow) == 0


def test_a_busy_database_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    engine = new_history(tmp_path)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=1")
    writer = HistoryWriter(engine)
    lock = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    lock.execute("BEGIN IMMEDIATE")
    told: list[str | None] = []

    def release_after_the_first_failure(pause: float) -> bool:
        told.append(writer.failure)
        lock.execute("ROLLBACK")
        return False

    writer._stopping.wait = release_after_the_first_failure  # type: ignore[assignment,method-assign]
    writer.take([a_slice("sessions", [a_session()])])
    assert told == ["database is locked"]
    assert writer.failure is None
    assert list(session_rows(engine)) == ["s1"]


def test_offsets_are_not_stored_without_their_rows(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE sessions"))
    writer = HistoryWriter(engine)
    writer.stop()
    with pytest.raises(StoppedError):
        writer.take([a_slice("sessions", [a_session()])])
    with engine.connect() as connection:
        assert stored_positions(connection) == {}
    assert writer.failure == "no such table: sessions"


def test_migrations_make_what_the_models_describe(engine: Engine) -> None:
    found = inspect(engine)
    for table in Base.metadata.sorted_tables:
        made = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert made == {column.name: column.nullable for column in table.columns}
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [
            column.name for column in table.primary_key
        ]
        assert {index["name"] for index in found.get_indexes(table.name)} == {
            index.name for index in table.indexes
        }


def test_a_history_of_before_goes_on(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'old.db'}")
    session_before_the_beacon(engine)
    migrate(engine)
    with engine.connect() as connection:
        counts = connection.execute(select(SessionRow.custom_events, SessionRow.engaged_ms)).one()
        assert tuple(counts) == (0, 0)
        assert connection.execute(select(EventRow.name)).scalar_one() is None
    HistoryWriter(engine).take([a_slice("sessions", [a_session(revision=2, engaged_ms=900)])])
    assert session_rows(engine) == {"s1": (1, 2, "open")}


def test_a_schema_of_a_later_version_is_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaError, match="upgrade Clickwake"):
        migrate(engine)


def test_only_known_databases_are_opened() -> None:
    with pytest.raises(ContractError, match="postgresql://") as caught:
        open_engine("mysql://user:secret@host/db")
    assert "secret" not in str(caught.value)


def count(engine: Engine, model: type[Base]) -> int:
    with engine.connect() as connection:
        return connection.execute(select(func.count()).select_from(model)).scalar_one()
