"""A connection for questions that look at many rows: with memory, and not for ever."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import HTTPException
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from api.history.engine import reading

LONGEST_S = 30.0
"""Of one question to PostgreSQL, and of all questions of an answer to SQLite."""

_STEPS = 100_000
"""SQLite's virtual machine looks at the clock so often: every few milliseconds."""


@contextmanager
def scanning(engine: Engine) -> Iterator[Connection]:
    """One whose queries all see the same state, with the memory to group what they find.

    A question that takes too long is ended with a 503 that says so.
    """
    with reading(engine) as connection:
        limit = _on_postgresql if engine.dialect.name == "postgresql" else _on_sqlite
        try:
            with limit(connection):
                yield connection
        except OperationalError as error:
            if not _is_ended(error):
                raise
            detail = f"This takes longer than {LONGEST_S:g} s: ask for a shorter range."
            raise HTTPException(503, detail) from error


@contextmanager
def _on_postgresql(connection: Connection) -> Iterator[None]:
    for setting in (
        f"statement_timeout = {round(LONGEST_S * 1000)}",
        # With the 4 MB of PostgreSQL's default, grouping a month of visitors sorts on the disk.
        "work_mem = '32MB'",
        # Compiling these queries takes longer than they do.
        "jit = off",
    ):
        connection.execute(text(f"SET LOCAL {setting}"))
    yield


@contextmanager
def _on_sqlite(connection: Connection) -> Iterator[None]:
    driver: Any = connection.connection.driver_connection
    end = time.monotonic() + LONGEST_S
    driver.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)


def _is_ended(error: OperationalError) -> bool:
    """PostgreSQL's SQLSTATE query_canceled; of SQLite there is only the word."""
    return getattr(error.orig, "sqlstate", None) == "57014" or str(error.orig) == "interrupted"
