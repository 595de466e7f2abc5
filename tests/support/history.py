"""A history database in a test, and records as a feed would deliver them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Engine, select

from api.feed import Slice
from api.history.engine import migrate, open_engine
from api.history.models import SessionRow
from api.progress import Place
from tests.support.messages import encoded


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
