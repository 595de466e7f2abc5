"""Room that deletions left in SQLite's file, back to the disk; a little at a time.

PostgreSQL's autovacuum does the like by itself (``history_0009`` says how often).
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Engine

from api.history.engine import changing

STEP_PAGES = 500
"""Of 4 kB, in one transaction: the writer waits as long."""

_INCREMENTAL = 2
_RESERVE = 10
"""A tenth of the file stays free: what comes next would only make it grow again."""


def give_back(engine: Engine) -> Iterator[int]:
    """Shrink the file; after each transaction, by how many pages.

    A file that was made before this was possible stays as it is.
    """
    if engine.dialect.name != "sqlite":
        return
    given = STEP_PAGES
    while given == STEP_PAGES:
        with changing(engine) as connection:
            given = _give_some(connection)
        yield given


def _give_some(connection: Connection) -> int:
    if _pragma(connection, "auto_vacuum") != _INCREMENTAL:
        return 0
    free = _pragma(connection, "freelist_count")
    spare = free - _pragma(connection, "page_count") // _RESERVE
    if spare < STEP_PAGES:
        return 0
    # Whatever number it is given, Python's driver ends the statement after its first page.
    driver: Any = connection.connection.driver_connection
    for _ in range(STEP_PAGES):
        driver.execute("PRAGMA incremental_vacuum(1)")
    return free - _pragma(connection, "freelist_count")


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
