"""SQL that the writer says again and again: rows into tables, the latest version winning."""

from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from api.history.rows import Plan, Row


class Prepared(NamedTuple):
    """SQL as SQLite's driver takes it, and what gives its values out of a row."""

    sql: str
    values: Callable[[Row], Any]


def upsert(connection: Connection, plan: Plan, rows: Sequence[Row]) -> None:
    """Store each row unless a later version of it is there."""
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        put(connection, _prepared(plan.table, plan.version), rows)
    else:
        connection.execute(latest_wins(plan.table, plan.version, connection.dialect.name), rows)


def put(connection: Connection, prepared: Prepared, rows: Sequence[Row]) -> None:
    """Run SQLite's statement for each row. SQLAlchemy would take longer for it than SQLite."""
    connection.exec_driver_sql(prepared.sql, [prepared.values(row) for row in rows])


@cache
def latest_wins(
    table: Table, version: tuple[str, ...], dialect: str, source: Table | None = None
) -> Any:
    """INSERT, or UPDATE where the new row's version is higher (with no version: always).

    The rows are those of the table ``source``, or parameters.
    """
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement: Any = insert(table)
    if source is not None:
        statement = statement.from_select([column.name for column in source.c], select(source))
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


@cache
def _prepared(table: Table, version: tuple[str, ...]) -> Prepared:
    return prepared(latest_wins(table, version, "sqlite"))


def prepared(statement: Any) -> Prepared:
    """The statement for SQLite's driver. Its parameters are columns, or ``new_`` ones."""
    compiled = statement.compile(dialect=sqlite.dialect())
    names = [name.removeprefix("new_") for name in compiled.positiontup]
    return Prepared(str(compiled), itemgetter(*names))
