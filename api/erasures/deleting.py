"""The rows of the history that an erasure covers: found, counted and deleted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import Connection, Engine, Table, delete, select, tuple_

from api.history.engine import changing
from api.history.models import (
    Base,
    DeadLetterRow,
    EventRow,
    LateEventRow,
    RevisionRow,
    SessionNameRow,
    SessionRow,
)
from contracts import Barred, EnrichedEvent, LateEvent, SessionUpdate
from contracts.erasures import Bar, mark_of
from contracts.naming import words_in_message

CHUNK = 500


class Wanted(NamedTuple):
    """Whose rows: their bars, and the ids that they go by in the history."""

    site_id: str
    bars: tuple[Bar, ...]
    names: list[str]

    @property
    def barred(self) -> Barred:
        """What decides of a row."""
        return Barred(self.bars)


class _Kind(NamedTuple):
    model: type[Base]
    read: Callable[[str], Any]


_UPDATE = msgspec.json.Decoder(SessionUpdate).decode
_OF_VISITOR = (
    _Kind(SessionRow, _UPDATE),
    _Kind(RevisionRow, _UPDATE),
    _Kind(EventRow, msgspec.json.Decoder(EnrichedEvent).decode),
    _Kind(LateEventRow, msgspec.json.Decoder(LateEvent).decode),
)
_MODELS: tuple[type[Base], ...] = (
    *(kind.model for kind in _OF_VISITOR),
    SessionNameRow,
    DeadLetterRow,
)
Key = tuple[Any, ...]


def names_of(connection: Connection, site_id: str, marks: set[str], key: str) -> list[str]:
    """Which ids of a site's visitors have these marks: all of them are looked through."""
    found: set[str] = set()
    models: tuple[type[Base], ...] = (SessionRow, EventRow, LateEventRow)
    for model in models:
        table = _table(model)
        query = select(table.c.visitor_id).where(table.c.site_id == site_id).distinct()
        found |= {
            name for name in connection.scalars(query) if mark_of(key, site_id, name) in marks
        }
    return sorted(found)


def covered(connection: Connection, wanted: Wanted) -> Iterator[tuple[type[Base], list[Key]]]:
    """By table, the keys of the rows that are to go."""
    barred = wanted.barred
    for kind in _OF_VISITOR:
        rows = _rows_of(connection, kind.model, wanted)
        keys = [key for key, text in rows if barred.covers_message(kind.read(text))]
        if kind.model is SessionRow:
            yield SessionNameRow, list(_further_names(connection, wanted, set(keys)))
        yield kind.model, keys
    yield DeadLetterRow, list(_dead_letters(connection, wanted))


def delete_covered(engine: Engine, wanted: Wanted) -> tuple[dict[str, int], set[str]]:
    """Delete them, a little at a time; how many by table, and the ids of the sessions."""
    with engine.connect() as connection:
        found = dict(covered(connection, wanted))
    for model, keys in found.items():
        for some in _in_chunks(keys):
            with changing(engine) as connection:
                _delete(connection, model, some)
    counts = {_table(model).name: len(keys) for model, keys in found.items() if keys}
    return counts, {str(key[0]) for key in found[SessionRow]}


def count_covered(engine: Engine, wanted: Wanted) -> dict[str, int]:
    """What is left of them, by table; empty when nothing is."""
    with engine.connect() as connection:
        found = covered(connection, wanted)
        return {_table(model).name: len(keys) for model, keys in found if keys}


def rewrite_files(engine: Engine) -> None:
    """What was deleted, or replaced before, leaves the database's own files, too.

    SQLite writes its file anew and empties its log; PostgreSQL tidies the tables' pages.
    """
    if engine.dialect.name == "postgresql":
        _vacuum_postgresql(engine)
    else:
        _vacuum_sqlite(engine)


def _vacuum_postgresql(engine: Engine) -> None:
    names = ", ".join(_table(model).name for model in _MODELS)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET statement_timeout = 0")
        connection.exec_driver_sql(f"VACUUM {names}")
        connection.exec_driver_sql("RESET statement_timeout")


def _vacuum_sqlite(engine: Engine) -> None:
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            cursor.execute(statement)
            cursor.fetchall()
        cursor.close()
    finally:
        raw.close()


def _rows_of(
    connection: Connection, model: type[Base], wanted: Wanted
) -> Iterator[tuple[Key, str]]:
    table = _table(model)
    for some in _in_chunks(wanted.names):
        query = select(*table.primary_key, table.c.message).where(
            table.c.site_id == wanted.site_id, table.c.visitor_id.in_(some)
        )
        for row in connection.execute(query):
            yield tuple(row[:-1]), row[-1]


def _further_names(connection: Connection, wanted: Wanted, sessions: set[Key]) -> Iterator[Key]:
    """Those of these sessions, and of such as are gone already."""
    name = SessionNameRow
    for some in _in_chunks(wanted.names):
        query = (
            select(name.session_id, name.visitor_id, SessionRow.session_id)
            .outerjoin(SessionRow, SessionRow.session_id == name.session_id)
            .where(name.site_id == wanted.site_id, name.visitor_id.in_(some))
        )
        for session_id, visitor_id, found in connection.execute(query):
            if found is None or (session_id,) in sessions:
                yield session_id, visitor_id


def _dead_letters(connection: Connection, wanted: Wanted) -> Iterator[Key]:
    """Those in which a word is one of the ids. They say nothing of sites that could be trusted."""
    table = _table(DeadLetterRow)
    query = select(*table.primary_key, table.c.broker_time, table.c.message)
    barred = wanted.barred
    for row in connection.execute(query.execution_options(yield_per=CHUNK)):
        words = set(words_in_message(row.message))
        if any(barred.covers(wanted.site_id, word, row.broker_time) for word in words):
            yield tuple(row[:-2])


def _delete(connection: Connection, model: type[Base], keys: Sequence[Key]) -> None:
    columns = list(_table(model).primary_key)
    connection.execute(delete(model).where(tuple_(*columns).in_(keys)))


def _in_chunks(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[begin : begin + CHUNK] for begin in range(0, len(items), CHUNK))


def _table(model: type[Base]) -> Table:
    return cast("Table", model.__table__)
