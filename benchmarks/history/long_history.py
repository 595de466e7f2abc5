"""Months of history, loaded in bulk, and every question to it beside the naive SQL."""

import json
import time
from collections.abc import Iterator
from random import Random

from sqlalchemy import Engine, func, select

from api.history.blocks.builder import Builder
from api.history.models import BlockRow
from benchmarks.history.asking import Ask, asked, asker
from benchmarks.history.databases import Database, serving
from benchmarks.history.lines import size_of
from benchmarks.history.loading import load
from benchmarks.history.long_questions import History, first_sql, known, lists, statistics
from benchmarks.history.results import Loaded, Result
from benchmarks.history.statistics import sql_asker
from benchmarks.report import Report

DAYS = 90
SEED = 7
BYTES_A_SESSION, BYTES_AN_EVENT = 2_300, 1_700
"""On disk, with indexes, blocks and the log."""


def bytes_of(sessions: int, events: int) -> int:
    """What a history of that size takes on the disk."""
    return sessions * BYTES_A_SESSION + events * BYTES_AN_EVENT


def measure(
    name: str,
    at: Database,
    engine: Engine,
    sessions: int,
    events: int,
    seconds: float,
    rounds: int,
    report: Report,
) -> Iterator[Result]:
    """Fill the empty database, and ask."""
    history = History(size_of(sessions, events), DAYS, time.time_ns() // 1_000_000)
    yield _loaded(name, at, engine, history, report)
    at.settle()
    random = Random(SEED)
    with serving(at.url) as port:
        ask = asker(port)
        _check(ask, history)
        every = [(ask, one) for one in (*lists(history), *statistics(history))]
        every += [(sql_asker(engine), one) for one in first_sql(name, history)]
        for number in range(1, rounds + 1):
            report.say(f"{name}: asking, round {number} of {rounds}")
            for asks, question in every:
                yield asked(asks, name, question, number, seconds, random)


def _loaded(name: str, at: Database, engine: Engine, history: History, report: Report) -> Loaded:
    report.say(f"{name}: loading {history.size.sessions:,} sessions")
    events, rows_s, seconds = load(engine, history.size, history.days, history.now, report.say)
    report.say(f"{name}: building blocks")
    begun = time.monotonic()
    Builder(engine, lambda: history.now, breath=0).build()
    blocks_s = time.monotonic() - begun
    with engine.connect() as connection:
        size = select(func.coalesce(func.sum(func.length(BlockRow.data)), 0))
        blocks = int(connection.execute(size).scalar_one())
    return Loaded(
        database=name,
        sessions=history.size.sessions,
        events=events,
        days=history.days,
        rows_s=rows_s,
        seconds=seconds,
        blocks_s=round(blocks_s, 1),
        disk_mb=round(at.size() / 1e6),
        blocks_mb=round(blocks / 1e6),
    )


def _check(ask: Ask, history: History) -> None:
    """A fast answer must be the right one: the session is there, with its events."""
    session_id, start = known(history)
    status, body = ask(f"/sessions/{session_id}")
    found = json.loads(body)
    if status != 200 or found["session"]["start"] != start:
        raise SystemExit(f"the history does not know session {session_id}: {status}")
    if len(found["events"]) != found["session"]["events"]:
        raise SystemExit(f"the history lacks events of session {session_id}")
