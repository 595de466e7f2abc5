"""A history database in a test, and records as a feed would deliver them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, column, insert, inspect, select, table, text

from api.feed import Slice
from api.history.engine import MIGRATIONS, migrate, open_engine
from api.history.facts import Moment, keep_moment
from api.history.models import SessionRow, SetAsideRow
from api.history.rows import PLANS, row_of
from api.progress import Place
from tests.support.filtering import EVENTS, SESSIONS
from tests.support.messages import a_late_event, a_session, an_event, encoded


class FakeRecord(NamedTuple):
    """What a reader uses of a consumed record."""

    topic: str
    partition: int
    offset: int
    value: bytes | None


def new_history(folder: Path) -> Engine:
    """A migrated SQLite history, which was there before the first test's noon."""
    engine = open_engine(f"sqlite:///{folder / 'history.db'}")
    migrate(engine)
    known_since(engine, 0)
    return engine


def known_since(engine: Engine, instant: int) -> None:
    """As if the history had been made then, and learnt nothing since."""
    with engine.begin() as connection:
        for name in get_args(Moment):
            keep_moment(connection, name, instant)


def a_slice(
    role: str, values: Sequence[msgspec.Struct | bytes | None], first_offset: int = 0
) -> Slice:
    """Consecutive records of partition 0."""
    place = Place(f"clickwake.{role}", 0)
    raw = [encoded(v) if isinstance(v, msgspec.Struct) else v for v in values]
    records: list[Any] = [
        FakeRecord(*place, first_offset + n, value) for n, value in enumerate(raw)
    ]
    return Slice(role, place, records)


def session_rows(engine: Engine) -> dict[str, tuple[int, int, str]]:
    """Session id → (epoch, revision, status) of every row, merged ones too."""
    row = SessionRow
    with engine.connect() as connection:
        found = connection.execute(select(row.session_id, row.epoch, row.revision, row.status))
        return {session_id: (e, r, s) for session_id, e, r, s in found}


def set_aside(engine: Engine) -> dict[str, str]:
    """``role/offset`` → why that record of partition 0 became no row."""
    row = SetAsideRow
    with engine.connect() as connection:
        found = connection.execute(select(row.topic, row.offset, row.reason))
        return {f"{topic.rpartition('.')[2]}/{offset}": reason for topic, offset, reason in found}


def session_before_the_beacon(engine: Engine) -> None:
    """A history as the third version left it, with one closed session of one page."""
    _migrate_to(engine, "0003")
    _insert_as_then(engine, sessions=[a_session(status="closed")], events=[an_event()])


def filtered_before_the_columns(engine: Engine) -> None:
    """A history as the third version left it, with the sessions and events to filter."""
    _migrate_to(engine, "0003")
    _insert_as_then(engine, sessions=SESSIONS, events=EVENTS)


def _insert_as_then(engine: Engine, **messages: Sequence[Any]) -> None:
    """Rows of these messages by role, without the columns that came later."""
    with engine.begin() as connection:
        for role, found in messages.items():
            rows = [row_of(role, one, encoded(one).decode()) for one in found]
            kept = PLANS[role].table
            there = {one["name"] for one in inspect(connection).get_columns(kept.name)}
            connection.execute(
                insert(table(kept.name, *map(column, there))),
                [{name: row[name] for name in there} for row in rows],
            )


def late_before_the_column(engine: Engine) -> None:
    """A history as the first version left it, with 1,500 late events."""
    insert_late = text(
        'INSERT INTO late_events (topic, "partition", "offset", site_id, visitor_id, '
        "broker_time, processed_time, message) VALUES ('t', 0, :n, 's', 'v', 0, 0, :message)"
    )
    rows = [
        {"n": n, "message": msgspec.json.encode(a_late_event(f"late-{n}")).decode()}
        for n in range(1_500)
    ]
    _migrate_to(engine, "0001")
    with engine.begin() as connection:
        connection.execute(insert_late, rows)


def _migrate_to(engine: Engine, version: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
