"""Questions to the API over HTTP, one after the other on one connection that stays."""

import http.client
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

from benchmarks.figures import percentile
from benchmarks.history import records
from benchmarks.history.results import Asked
from benchmarks.history.storing import MONTH_MS, start_of
from infra.ports import HOST

DAY_MS = 24 * 60 * 60_000
MOST = 1_000
"""Times that a question is asked in a round, if its time lets it."""

LEAST = 3
"""Times that it is asked however long it takes."""

TIMEOUT_S = 300
CURSORS = 20

Ask = Callable[[str], tuple[int, bytes]]


class Question(NamedTuple):
    """What it is called, and a path for it; another one each time."""

    name: str
    path: Callable[[Random], str]


def asker(port: int) -> Ask:
    """GETs a path: the status and the whole body."""
    connection = http.client.HTTPConnection(HOST, port, timeout=TIMEOUT_S)

    def ask(path: str) -> tuple[int, bytes]:
        connection.request("GET", f"/api/v1{path}")
        answer = connection.getresponse()
        return answer.status, answer.read()

    return ask


def questions(ask: Ask, sessions: int, now: int) -> list[Question]:
    """What a dashboard asks, and what it may ask of a long history."""
    begin = now - MONTH_MS
    pages = list(_pages(ask, begin, now))

    def detail(random: Random) -> str:
        return f"/sessions/{records.session_id(random.randrange(sessions))}"

    def day(random: Random) -> str:
        moment = begin + DAY_MS + random.randrange(MONTH_MS - 2 * DAY_MS)
        return f"{datetime.fromtimestamp(moment / 1000, UTC):%Y-%m-%d}"

    return [
        Question("list: newest 50", lambda _: "/sessions"),
        Question("list: a page in between", lambda r: r.choice(pages)),
        Question("list: a country on a day", lambda r: f"/sessions?country=FR&day={day(r)}"),
        Question("list: open sessions", lambda _: "/sessions?status=open"),
        Question("detail: session and events", detail),
        Question("stats: last 24 hours", lambda _: "/stats"),
        Question("stats: a day", lambda r: f"/stats?day={day(r)}"),
        Question("stats: last 7 days", lambda _: f"/stats?from={now - 7 * DAY_MS}&to={now}"),
        Question("stats: the whole month", lambda _: f"/stats?from={begin}&to={now}"),
    ]


def _pages(ask: Ask, begin: int, now: int) -> Iterator[str]:
    """Paths of pages all over the history. A cursor belongs to the filter it was given for."""
    for number in range(CURSORS):
        before = begin + (number + 1) * (now - begin) // CURSORS
        status, body = ask(f"/sessions?limit=1&to={before}")
        cursor = json.loads(body).get("next_cursor") if status == 200 else None
        if cursor is None:
            raise SystemExit(f"the API gave no cursor ({status}): {body[:200]!r}")
        yield f"/sessions?to={before}&cursor={cursor}"


def asked(
    ask: Ask, database: str, question: Question, number: int, seconds: float, random: Random
) -> Asked:
    """Ask for so many seconds, at least LEAST and at most MOST times."""
    times: list[float] = []
    failures, failure, size = 0, None, 0
    begun = time.monotonic()
    while len(times) < LEAST or (len(times) < MOST and time.monotonic() - begun < seconds):
        path = question.path(random)
        start = time.perf_counter()
        status, body = ask(path)
        times.append((time.perf_counter() - start) * 1000)
        size += len(body)
        if status != 200:
            failures += 1
            failure = failure or f"{status} {body[:200].decode(errors='replace')}"
    ordered = sorted(times)
    return Asked(
        database=database,
        question=question.name,
        number=number,
        count=len(times),
        p50_ms=round(percentile(ordered, 0.5), 2),
        p95_ms=round(percentile(ordered, 0.95), 2),
        p99_ms=round(percentile(ordered, 0.99), 2),
        longest_ms=round(ordered[-1], 2),
        answer_kb=round(size / len(times) / 1000, 1),
        failures=failures,
        failure=failure,
    )


def known(sessions: int, now: int) -> tuple[str, int]:
    """A session in the middle of the history and when it started, to see that answers are right."""
    number = sessions // 2
    return records.session_id(number), start_of(number, sessions, now)
