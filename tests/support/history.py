"""A history database in a test, and records as a feed would deliver them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, select, text

from api.feed import Slice
from api.history.engine import MIGRATIONS, migrate, open_engine
from api.history.models import SessionRow
from api.history.rows import row_of
from api.progress import Place
from tests.support.messages import a_late_event, a_session, an_event, encoded


class FakeRecord(NamedTuple):
    """What a reader uses of a consumed record."""

    topic: str
    partition: int
    offset: int
    value: bytes | None


def new_history(folder: Path) -> Engine:
    """A migrated SQLite history."""
    engine = open_engine(f"sqlite:///{folder / 'history.db'}")
    migrate(engine)
    return engine


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


def session_before_the_beacon(engine: Engine) -> None:
    """A history as version 0003 left it, with one closed session of one page and its event."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    old = {"custom_events", "engaged_ms", "name"}
    rows = [
        row_of("sessions", a_session(status="closed"), "{}"),
        row_of("events", an_event(), "{}"),
    ]
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        for table, row in zip(("sessions", "events"), rows, strict=True):
            names = [name for name in row if name not in old]
            columns = ", ".join(f'"{name}"' for name in names)
            values = ", ".join(f":{name}" for name in names)
            # The names are the models' own.
            insert = text(f"INSERT INTO {table} ({columns}) VALUES ({values})")
            connection.execute(insert, {name: row[name] for name in names})


def late_before_the_column(engine: Engine) -> None:
    """A history as the first version left it, with 1,500 late events."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    insert = text(
        'INSERT INTO late_events (topic, "partition", "offset", site_id, visitor_id, '
        "broker_time, processed_time, message) VALUES ('t', 0, :n, 's', 'v', 0, 0, :message)"
    )
    rows = [
        {"n": n, "message": msgspec.json.encode(a_late_event(f"late-{n}")).decode()}
        for n in range(1_500)
    ]
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(insert, rows)
