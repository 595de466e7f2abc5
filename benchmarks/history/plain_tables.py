"""Tables without their indexes and keys while they are filled."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Engine

_OF_POSTGRESQL = """
SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), i.indrelid::regclass::text,
       c.conname, pg_get_constraintdef(c.oid)
FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype = 'p'
WHERE i.indrelid = ANY(ARRAY[{tables}]::regclass[])
"""
_OF_SQLITE = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
    "AND tbl_name IN ({tables})"
)


class Part(NamedTuple):
    """How an index, or a key, is taken away and made again."""

    name: str
    drop: str
    create: str


@contextmanager
def without_indexes(
    engine: Engine, tables: Sequence[str], say: Callable[[str], None]
) -> Iterator[None]:
    """Take the tables' indexes away for the block. SQLite's keys cannot be taken."""
    parts = _parts(engine, ", ".join(f"'{name}'" for name in tables))
    _run(engine, [part.drop for part in parts])
    yield
    for part in parts:
        say(f"{engine.dialect.name}: building {part.name}")
        _run(engine, [part.create])


def _parts(engine: Engine, tables: str) -> list[Part]:
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            rows = connection.exec_driver_sql(_OF_SQLITE.format(tables=tables))
            return [Part(name, f"DROP INDEX {name}", sql) for name, sql in rows]
        return [
            _part(*row) for row in connection.exec_driver_sql(_OF_POSTGRESQL.format(tables=tables))
        ]


def _part(name: str, sql: str, table: str, key: str | None, definition: str | None) -> Part:
    if key is None:
        return Part(name, f"DROP INDEX {name}", sql)
    alter = f"ALTER TABLE {table}"
    return Part(
        name, f"{alter} DROP CONSTRAINT {key}", f"{alter} ADD CONSTRAINT {key} {definition}"
    )


def _run(engine: Engine, statements: Sequence[str]) -> None:
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            for setting in ("statement_timeout = 0", "maintenance_work_mem = '1GB'"):
                connection.exec_driver_sql(f"SET LOCAL {setting}")
        for statement in statements:
            connection.exec_driver_sql(statement)
