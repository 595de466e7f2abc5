"""Writing a batch: rows by latest-wins upserts, with Kafka's offsets in the same transaction."""

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Engine, Table, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError

from api.history.facts import keep_moment, moment
from api.history.models import ConsumerOffsetRow
from api.history.names import keep_names
from api.history.revisions import keep_replaced
from api.history.rows import PLANS, Plan, Row, newest
from api.progress import Place

log = logging.getLogger(__name__)

UNSTORABLE = (DataError, IntegrityError, OverflowError, UnicodeError)
"""What a database says of a value it cannot hold; every other failure may pass."""

_SESSIONS = PLANS["sessions"].table
_OFFSETS = cast("Table", ConsumerOffsetRow.__table__)


class Batch(NamedTuple):
    """Rows by topic role, and where each partition continues after them."""

    rows: Mapping[str, list[Row]]
    positions: Mapping[Place, int]


def stored_positions(connection: Connection) -> dict[Place, int]:
    """Where reading continues, by partition."""
    found = connection.execute(select(_OFFSETS))
    return {Place(topic, partition): offset for topic, partition, offset in found}


class Learning(NamedTuple):
    """When a batch is learnt, and whether what it replaces is kept."""

    now: int
    keeps_revisions: bool = True


def store(engine: Engine, batch: Batch, learning: Learning) -> int:
    """Write all of the batch or nothing of it; the number of rows no database could hold."""
    try:
        with engine.begin() as connection:
            learnt = _begin(connection, batch, learning)
            for role, rows in batch.rows.items():
                _upsert(connection, PLANS[role], newest(PLANS[role], rows), learnt)
            return 0
    except UNSTORABLE:
        return _store_one_by_one(engine, batch, learning)


def _store_one_by_one(engine: Engine, batch: Batch, learning: Learning) -> int:
    """Find the rows that made the batch fail, and leave only those out."""
    skipped = 0
    with engine.begin() as connection:
        learnt = _begin(connection, batch, learning)
        for role, rows in batch.rows.items():
            plan = PLANS[role]
            skipped += sum(not _fits(connection, plan, row, learnt) for row in newest(plan, rows))
    return skipped


def _begin(connection: Connection, batch: Batch, learning: Learning) -> Learning:
    """Keep the positions, and settle when this batch is learnt: after everything before it.

    The first statement takes SQLite's write lock, or the positions' rows in PostgreSQL. So the
    moments of two batches are in the order of their commits, whatever the clock does.
    """
    _keep_positions(connection, batch.positions)
    learnt = learning._replace(now=max(learning.now, moment(connection, "known_at") + 1))
    keep_moment(connection, "known_at", learnt.now)
    if not learnt.keeps_revisions:
        keep_moment(connection, "revisions_from", learnt.now)
    return learnt


def _fits(connection: Connection, plan: Plan, row: Row, learnt: Learning) -> bool:
    try:
        with connection.begin_nested():
            _upsert(connection, plan, [row], learnt)
    except UNSTORABLE as error:
        key = plan.key_of(row)
        log.warning("skipped a row of %s that cannot be stored: %r: %s", plan.table, key, error)
        return False
    return True


def _upsert(connection: Connection, plan: Plan, rows: list[Row], learnt: Learning) -> None:
    if rows and plan.table is _SESSIONS:
        if learnt.keeps_revisions:
            keep_replaced(connection, rows, learnt.now)
        rows = [row | {"recorded": learnt.now} for row in rows]
        keep_names(connection, rows)
    if rows:
        statement = _latest_wins(plan.table, plan.version, connection.dialect.name)
        connection.execute(statement, rows)


def _keep_positions(connection: Connection, positions: Mapping[Place, int]) -> None:
    rows = [
        {"topic": place.topic, "partition": place.partition, "next_offset": offset}
        for place, offset in sorted(positions.items())
    ]
    if rows:
        connection.execute(_latest_wins(_OFFSETS, (), connection.dialect.name), rows)


@cache
def _latest_wins(table: Table, version: tuple[str, ...], dialect: str) -> Any:
    """INSERT, or UPDATE where the new row's version is higher (with no version: always)."""
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement: Any = insert(table)
    keys = [column.name for column in table.primary_key]
    new = statement.excluded
    newer = None
    if version:
        newer = tuple_(*(new[name] for name in version)) > tuple_(
            *(table.c[name] for name in version)
        )
    return statement.on_conflict_do_update(
        index_elements=keys,
        set_={column.name: new[column.name] for column in table.c if column.name not in keys},
        where=newer,
    )
