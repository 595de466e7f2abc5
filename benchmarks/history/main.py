"""History: what the API's writer stores a second, and how fast its routes answer from N sessions.

For each database: a month of sessions through the writer, then questions over HTTP in
interleaved rounds, then sessions as they live through the writer: with their events, their
updates alone, and in PostgreSQL the latter also without COPY. With a number of events: three
months loaded in bulk, and more questions.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from sqlalchemy import Engine, func, select

from api.history.engine import migrate, open_engine
from api.history.models import EventRow
from api.history.writer import HistoryWriter
from benchmarks.history.asking import Ask, asked, asker, known, questions
from benchmarks.history.databases import BYTES_A_SESSION, Database, database, require_room, serving
from benchmarks.history.long_history import DAYS, bytes_of, measure
from benchmarks.history.results import Result, bars, rows, titles
from benchmarks.history.statistics import naive, sql_asker, statistics
from benchmarks.history.storing import WRITTEN, Meter, fill, write
from benchmarks.postgres import PostgresMissingError
from benchmarks.report import Report

SEED = 7
PACKAGES = ("fastapi", "psycopg", "sqlalchemy", "starlette", "uvicorn", "uvloop")
_VERSION = {"sqlite": "SELECT sqlite_version()", "postgresql": "SHOW server_version"}
_NO_LIMIT = {"sqlite": "SELECT 1", "postgresql": "SET statement_timeout = 0"}
"""Counting millions of events may take longer than the API lets a query take."""


def main(
    sessions: int,
    databases: list[str],
    seconds: float,
    rounds: int,
    out: Path | None,
    events: int = 0,
    *,
    asks: bool = True,
) -> list[Result]:
    """Measure one database after the other, and print a line for each result and a table.

    Without ``asks`` only the writer, unless there are ``events`` to load in bulk.
    """
    require_room(sessions, bytes_of(sessions, events) if events else sessions * BYTES_A_SESSION)
    report = Report("history", _configuration(sessions, events, seconds, rounds), PACKAGES, out)
    found: list[Result] = []
    notes = [
        "answers: median / 95th / 99th percentile of requests one after the other",
        "±: half of what lies between the largest and the smallest of the rounds",
    ]
    for name in databases:
        try:
            for one in _one(name, sessions, events, seconds, rounds, report, asks):
                found.append(one)
                report.add(one)
        except PostgresMissingError as error:
            notes.append(f"not run: {name}: {error}")
    report.plot(f"History of {sessions:,} sessions: median answer", bars(found, databases))
    report.table(titles(databases), rows(found, databases), notes)
    return found


def _one(
    name: str,
    sessions: int,
    events: int,
    seconds: float,
    rounds: int,
    report: Report,
    asks: bool,
) -> Iterator[Result]:
    with database(name) as at:
        engine = open_engine(at.url)
        report.versions[name] = _version(engine)
        if events:
            migrate(engine)
            yield from measure(name, at, engine, sessions, events, seconds, rounds, report)
        else:
            yield from _written(name, at, engine, sessions, seconds, rounds, report, asks)
        engine.dispose()


def _written(
    name: str,
    at: Database,
    engine: Engine,
    sessions: int,
    seconds: float,
    rounds: int,
    report: Report,
    asks: bool,
) -> Iterator[Result]:
    now = time.time_ns() // 1_000_000
    writer = HistoryWriter(engine)
    writer.prepare()
    meter = Meter(writer)
    report.say(f"{name}: storing {sessions:,} sessions")
    yield from fill(meter, name, sessions, now, at.size, report.say)
    at.settle()
    if asks:
        yield from _answers(name, at, engine, sessions, now, seconds, rounds, report)
    meters = {"write": meter, "updates": meter, "plain": Meter(_plain(engine))}
    for number in range(1, rounds + 1):
        report.say(f"{name}: writing, round {number} of {rounds}")
        for part in WRITTEN if name == "postgresql" else WRITTEN[:2]:
            yield write(meters[part], name, part, sessions, seconds, number, now)
    _check_events(engine, meter.events_in_all)


def _plain(engine: Engine) -> HistoryWriter:
    """The writer without COPY: PostgreSQL gets a statement for each row, many in a message."""
    return HistoryWriter(engine.execution_options(clickwake_copy_from=sys.maxsize))


def _version(engine: Engine) -> str:
    with engine.connect() as connection:
        return str(connection.exec_driver_sql(_VERSION[engine.dialect.name]).scalar_one())


def _check_events(engine: Engine, expected: int) -> None:
    """A fast writer must have stored all that it was given."""
    with engine.connect() as connection:
        connection.exec_driver_sql(_NO_LIMIT[engine.dialect.name])
        found = connection.execute(select(func.count()).select_from(EventRow)).scalar_one()
    if found != expected:
        raise SystemExit(f"the history has {found:,} of {expected:,} events")


def _answers(
    name: str,
    at: Database,
    engine: Engine,
    sessions: int,
    now: int,
    seconds: float,
    rounds: int,
    report: Report,
) -> Iterator[Result]:
    random = Random(SEED)
    with serving(at.url) as port:
        ask = asker(port)
        _check(ask, sessions, now)
        every = [(ask, one) for one in (*questions(ask, sessions, now), *statistics(now))]
        every += [(sql_asker(engine), one) for one in naive(name, now)]
        for number in range(1, rounds + 1):
            report.say(f"{name}: asking, round {number} of {rounds}")
            for asks, question in every:
                yield asked(asks, name, question, number, seconds, random)


def _check(ask: Ask, sessions: int, now: int) -> None:
    """A fast answer must be the right one: the session is there, with its events."""
    session_id, start = known(sessions, now)
    status, body = ask(f"/sessions/{session_id}")
    found = json.loads(body)
    if status != 200 or found["session"]["start"] != start:
        raise SystemExit(f"the history does not know session {session_id}: {status}")
    if len(found["events"]) != found["session"]["events"]:
        raise SystemExit(f"the history lacks events of session {session_id}")


def _configuration(sessions: int, events: int, seconds: float, rounds: int) -> dict[str, str]:
    loaded = f"{sessions:,} in {DAYS} days, about {events:,} events"
    return {
        "sessions": loaded if events else f"{sessions:,} in a month, two events each",
        "seconds a question and round": f"{seconds:g}",
        "rounds": str(rounds),
        "seed": str(SEED),
    }
