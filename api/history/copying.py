"""Rows into a table; many of them into PostgreSQL by COPY.

They are copied into a table of the connection's own, and one statement takes them from there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, Column, Connection, MetaData, Table, Text, delete
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateTable

from api.history.rows import Plan, Row
from api.history.statements import latest_wins, upsert

COPY_FROM = 100
"""Rows. Fewer are sooner stored by a statement each. An engine's execution option
``clickwake_copy_from`` says otherwise, to measure one against the other."""

_TYPES = {BigInteger: "int8", Boolean: "bool", Text: "text"}


class _Copying(NamedTuple):
    """The connection's own table, how rows are copied into it, and how they get out of it."""

    stage: Table
    sql: str
    types: list[str]
    values: Callable[[Row], Any]
    merge: Any


def put_all(connection: Connection, plan: Plan, rows: Sequence[Row]) -> None:
    """Store each row unless a later version of it is there. One row a key."""
    copy_from = connection.get_execution_options().get("clickwake_copy_from", COPY_FROM)
    if connection.dialect.name == "postgresql" and len(rows) >= copy_from:
        _copy_upsert(connection, plan, rows)
    else:
        upsert(connection, plan, rows)


def _copy_upsert(connection: Connection, plan: Plan, rows: Sequence[Row]) -> None:
    told = _copying(plan.table, plan.version)
    # Made again where a pooler gives each transaction another connection; emptied, as one
    # transaction may come here several times.
    connection.execute(CreateTable(told.stage, if_not_exists=True))
    connection.execute(delete(told.stage))
    _copy(connection, told, rows)
    connection.execute(told.merge)


def _copy(connection: Connection, told: _Copying, rows: Sequence[Row]) -> None:
    driver: Any = connection.connection.driver_connection
    with (
        _as_sqlalchemys(connection, told.sql),
        driver.cursor() as cursor,
        cursor.copy(told.sql) as copy,
    ):
        copy.set_types(told.types)
        for row in rows:
            copy.write_row(told.values(row))


@contextmanager
def _as_sqlalchemys(connection: Connection, statement: str) -> Iterator[None]:
    """The driver's errors as SQLAlchemy's, since everyone else here deals with those."""
    driver: Any = connection.dialect.loaded_dbapi
    try:
        yield
    except driver.Error as error:
        raise DBAPIError.instance(statement, None, error, driver.Error) from error


@cache
def _copying(table: Table, version: tuple[str, ...]) -> _Copying:
    names = [column.name for column in table.c]
    quoted = ", ".join(f'"{name}"' for name in names)
    stage = Table(
        f"incoming_{table.name}",
        MetaData(),
        *(Column(column.name, column.type) for column in table.c),
        prefixes=["TEMPORARY"],
        postgresql_on_commit="DELETE ROWS",
    )
    return _Copying(
        stage,
        f"COPY {stage.name} ({quoted}) FROM STDIN (FORMAT BINARY)",
        [_TYPES[type(column.type)] for column in table.c],
        itemgetter(*names),
        latest_wins(table, version, "postgresql", stage),
    )
