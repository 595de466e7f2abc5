"""A long history, loaded in bulk: lines into tables without indexes, which are built afterwards.

The writer would take hours for tens of millions of events, and what it does is measured apart.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Engine

from benchmarks.history import records
from benchmarks.history.lines import NULL, Size, columns, event_lines, session_line
from benchmarks.history.plain_tables import without_indexes

DAY_MS = 24 * 60 * 60_000
LINES = 50_000
"""Lines of one transaction."""

SAY_EVERY_S = 10.0
Say = Callable[[str], None]


def start_of(number: int, sessions: int, days: int, now: int) -> int:
    """When that one of the sessions starts."""
    return now - days * DAY_MS + number * days * DAY_MS // sessions


def load(engine: Engine, size: Size, days: int, now: int, say: Say) -> tuple[int, float, float]:
    """Fill an empty history with sessions of the days before ``now`` and their events: how many
    events, and the seconds for the rows and in all."""
    begun = time.monotonic()
    with without_indexes(engine, ("sessions", "events"), say):
        _copy(engine, "sessions", _sessions(size, days, now), say)
        events = _copy(engine, "events", _events(size, days, now), say)
        rows_s = time.monotonic() - begun
    return events, round(rows_s, 1), round(time.monotonic() - begun, 1)


def _sessions(size: Size, days: int, now: int) -> Iterator[str]:
    for number in range(size.sessions):
        start = start_of(number, size.sessions, days, now)
        yield session_line(number, start, size, is_open=records.is_open(start, now))


def _events(size: Size, days: int, now: int) -> Iterator[str]:
    for number in range(size.first, size.sessions):
        yield from event_lines(number, start_of(number, size.sessions, days, now), size)


def _copy(engine: Engine, role: str, lines: Iterator[str], say: Say) -> int:
    into = _into_postgresql if engine.dialect.name == "postgresql" else _into_sqlite
    done, said = 0, time.monotonic()
    while some := list(islice(lines, LINES)):
        with engine.begin() as connection:
            into(connection.connection.driver_connection, role, some)
        done += len(some)
        if time.monotonic() - said > SAY_EVERY_S:
            said = time.monotonic()
            say(f"{engine.dialect.name}: {done:,} {role} loaded")
    return done


def _into_postgresql(driver: Any, role: str, lines: Sequence[str]) -> None:
    names = ", ".join(f'"{name}"' for name in columns(role))
    with driver.cursor() as cursor, cursor.copy(f"COPY {role} ({names}) FROM STDIN") as copy:
        copy.write("\n".join(lines) + "\n")


def _into_sqlite(driver: Any, role: str, lines: Sequence[str]) -> None:
    names = columns(role)
    quoted, places = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
    rows = ([None if cell == NULL else cell for cell in line.split("\t")] for line in lines)
    driver.executemany(f"INSERT INTO {role} ({quoted}) VALUES ({places})", rows)
