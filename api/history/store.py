"""Writing a batch: rows by latest-wins upserts, with Kafka's offsets in the same transaction."""

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Engine, Table, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError

from api.history.models import ConsumerOffsetRow
from api.history.rows import PLANS, Plan, Row, newest
from api.progress import Place

log = logging.getLogger(__name__)

UNSTORABLE = (DataError, IntegrityError, OverflowError, UnicodeError)
"""What a database says of a value it cannot hold; every other failure may pass."""

_OFFSETS = cast("Table", ConsumerOffsetRow.__table__)


class Batch(NamedTuple):
    """Rows by topic role, and where each partition continues after them."""

    rows: Mapping[str, list[Row]]
    positions: Mapping[Place, int]


def stored_positions(connection: Connection) -> dict[Place, int]:
    """Where reading continues, by partition."""
    found = connection.execute(select(_OFFSETS))
    return {Place(topic, partition): offset for topic, partition, offset in found}


def store(engine: Engine, batch: Batch) -> int:
    """Write all of the batch or nothing of it; the number of rows no database could hold."""
    try:
        with engine.begin() as connection:
            for role, rows in batch.rows.items():
                _upsert(connection, PLANS[role], newest(PLANS[role], rows))
            _keep_positions(connection, batch.positions)
            return 0
    except UNSTORABLE:
        return _store_one_by_one(engine, batch)


def _store_one_by_one(engine: Engine, batch: Batch) -> int:
    """Find the rows that made the batch fail, and leave only those out."""
    skipped = 0
    with engine.begin() as connection:
        for role, rows in batch.rows.items():
            plan = PLANS[role]
            skipped += sum(not _fits(connection, plan, row) for row in newest(plan, rows))
        _keep_positions(connection, batch.positions)
    return skipped


def _fits(connection: Connection, plan: Plan, row: Row) -> bool:
    try:
        with connection.begin_nested():
            _upsert(connection, plan, [row])
    except UNSTORABLE as error:
        key = plan.key_of(row)
        log.warning("skipped a row of %s that cannot be stored: %r: %s", plan.table, key, error)
        return False
    return True


def _upsert(connection: Connection, plan: Plan, rows: list[Row]) -> None:
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
