"""Building the blocks of an hour, in one transaction with the note that it lacked them."""

import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select

from api.history.blocks.columns import HOUR_MS, NAMES, Name, columns_of, encoded, sources
from api.history.engine import reading
from api.history.filters import MERGED
from api.history.models import BlockRow, SessionRow, StaleHourRow

SETTLE_MS = 2 * HOUR_MS
"""After an hour's end, until most of its sessions are final: until then it changes all the time."""


def stale_hours(connection: Connection, now: int, limit: int) -> list[int]:
    """Hours to build, newest first: those that came to rest and changed since they were built."""
    hour, rest = StaleHourRow.hour, (now - SETTLE_MS) // HOUR_MS
    # Before 1970 a division does not say which hour it is.
    query = select(hour).where(hour > 0, hour < rest).distinct().order_by(hour.desc())
    return list(connection.execute(query.limit(limit)).scalars())


def build(engine: Engine, hour: int) -> int:
    """Build the hour's blocks; how many sessions they hold.

    In PostgreSQL a conflict with somebody who changes the same fails (OperationalError); then
    nothing was done.
    """
    # Notes and sessions of the same moment: a note that comes later stays.
    with reading(engine) as connection, connection.begin():
        # First of all, as this takes SQLite's write lock.
        connection.execute(delete(StaleHourRow).where(StaleHourRow.hour == hour))
        connection.execute(delete(BlockRow).where(BlockRow.hour == hour))
        rows = rows_of(connection, hour, hour + 1, NAMES)
        if rows:
            connection.execute(insert(BlockRow), _blocks(rows, hour))
        return len(rows)


def rows_of(connection: Connection, first: int, after: int, names: Sequence[Name]) -> Sequence[Any]:
    """What these columns come from, of all sessions that started in hours from ``first`` on."""
    start = SessionRow.start
    table = SessionRow.__table__
    query = (
        select(start, *(table.c[name] for name in sources(names) if name != "start"))
        .where(start >= first * HOUR_MS, start < after * HOUR_MS, SessionRow.status != MERGED)
        .order_by(start)
    )
    return connection.execute(query).mappings().all()


def _blocks(rows: Sequence[Any], hour: int) -> list[dict[str, Any]]:
    shared = {"hour": hour, "built": secrets.randbits(62), "sessions": len(rows)}
    columns = columns_of(rows, NAMES, hour)
    return [shared | {"name": name, "data": encoded(one)} for name, one in columns.items()]
