"""The made-up history, what goes into a batch, and the table."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from sqlalchemy import inspect, text

from api.decoding import decode
from api.history.rows import row_of
from api.history.writer import HistoryWriter
from benchmarks.history import records
from benchmarks.history.asking import DAY_MS, LEAST, asked, questions
from benchmarks.history.databases import chosen
from benchmarks.history.lines import Size, columns, event_lines, names, session_line, size_of
from benchmarks.history.loading import load
from benchmarks.history.long_questions import History, first_sql, lists
from benchmarks.history.long_questions import statistics as over_a_month
from benchmarks.history.results import Asked, Result, Stored, bars, rows, titles
from benchmarks.history.statistics import naive, sql_asker, statistics
from benchmarks.history.storing import BATCH, MONTH_MS, Batch, Meter, fill, start_of, write
from contracts import EnrichedEvent, SessionUpdate
from tests.support.history import new_history, session_rows

NOON = 1_772_366_400_000
"""2026-03-01 12:00:00 UTC."""


class Kept(Meter):
    """Keeps batches instead of storing them; each takes a second."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.events_in_all = 0
        self._clear()

    def store(self, batch: Batch) -> None:
        self.batches.append(batch)
        self.updates += len(batch.updates)
        self.events += len(batch.events)
        self.seconds += 1


def test_messages_keep_their_contracts_and_agree_with_each_other() -> None:
    for number in range(50):
        final = records.session(number, NOON, "final", 4)
        events = records.events(number, NOON)
        assert decode("sessions", msgspec.json.encode(final)) == final
        assert [decode("events", msgspec.json.encode(one)) for one in events] == events
        assert len(events) == final.events
        assert (events[0].event_time, events[-1].event_time) == (final.start, final.end)
        assert {one.visitor_id for one in events} == {final.visitor_id}


def test_ids_differ_and_visitors_come_twice() -> None:
    assert len({records.session_id(number) for number in range(1_000)}) == 1_000
    assert set(Counter(map(records.visitor_id, range(1_000))).values()) == {2}


def test_a_month_is_stored_in_the_order_of_starts_with_a_result_a_tenth() -> None:
    meter = Kept()
    told = list(fill(meter, "sqlite", 5_000, NOON, lambda: 3_000_000, print))
    assert [(one.number, one.sessions) for one in told] == [(n, 500 * n) for n in range(1, 11)]
    assert sum(one.updates for one in told) == 5_000
    assert {one.disk_mb for one in told} == {3}
    starts = [update.start for batch in meter.batches for update in batch.updates]
    assert starts == sorted(starts)
    assert (starts[0], start_of(5_000, 5_000, NOON)) == (NOON - MONTH_MS, NOON)


def test_only_sessions_of_the_last_half_hour_are_open() -> None:
    meter = Kept()
    list(fill(meter, "sqlite", 5_000, NOON, lambda: 0, print))
    updates = [update for batch in meter.batches for update in batch.updates]
    is_open = {update.status == "open" for update in updates if update.start > NOON - 30 * 60_000}
    before = {update.status for update in updates if update.start <= NOON - 30 * 60_000}
    assert (is_open, before) == ({True}, {"final"})


def test_a_living_session_is_told_four_times_in_four_batches() -> None:
    meter = Kept()
    write(meter, "sqlite", "write", 1_000, 5, 1, NOON)
    seen: dict[str, list[tuple[int, int, str]]] = {}
    for turn, batch in enumerate(meter.batches):
        for update in batch.updates:
            seen.setdefault(update.session_id, []).append((turn, update.revision, update.status))
    first = seen[meter.batches[0].updates[0].session_id]
    assert first == [(0, 1, "open"), (1, 2, "open"), (2, 3, "closed"), (3, 4, "final")]
    sizes = [len(batch.updates) + len(batch.events) for batch in meter.batches]
    assert BATCH * 0.95 < sizes[-1] <= BATCH * 1.05


def test_rounds_write_different_sessions() -> None:
    meter = Kept()
    for number in (1, 2):
        write(meter, "sqlite", "write", 1_000, 2, number, NOON)
    ids = [{update.session_id for update in batch.updates} for batch in meter.batches]
    assert not (ids[0] | ids[1]) & (ids[2] | ids[3])


def test_the_writer_stores_what_the_meter_counts(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    writer = HistoryWriter(engine)
    meter = Meter(writer)
    list(fill(meter, "sqlite", 40, NOON, lambda: 0, print))
    assert writer.unreadable == 0
    assert len(session_rows(engine)) == 40
    assert meter.events_in_all == 40 * sum(records.EVENTS) // len(records.EVENTS)


def test_each_question_is_asked_at_least_some_times_and_failures_are_kept() -> None:
    def ask(path: str) -> tuple[int, bytes]:
        if "cursor" in path:
            return 503, b'{"detail":"busy"}'
        return 200, b'{"next_cursor":"c"}'

    every = questions(ask, 100, NOON)
    assert len({question.name for question in every}) == len(every)
    found = [asked(ask, "sqlite", question, 1, 0, Random(1)) for question in every]
    assert {one.count for one in found} == {LEAST}
    failed = [one for one in found if one.failures]
    assert [(one.question, one.failures) for one in failed] == [("list: a page in between", LEAST)]
    assert failed[0].failure == '503 {"detail":"busy"}'
    assert f"from={NOON - 7 * DAY_MS}" in every[-2].path(Random(1))


def test_statistics_are_asked_of_the_month_and_of_days_in_it() -> None:
    random = Random(1)
    for question in statistics(NOON):
        parameters = parse_qs(urlsplit(question.path(random)).query)
        start, end = int(parameters["from"][0]), int(parameters["to"][0])
        assert NOON - MONTH_MS <= start < end <= NOON
        assert end - start == (DAY_MS if question.name.endswith("a day") else MONTH_MS)


def test_the_naive_sql_finds_the_same_sessions(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    list(fill(Meter(HistoryWriter(engine)), "sqlite", 1_000, NOON, lambda: 0, print))
    by_day, by_country, pages = (question.path(Random(1)) for question in naive("sqlite", NOON))
    with engine.connect() as connection:
        assert sum(row[2] for row in connection.execute(text(by_day))) == 950
        assert sum(row[2] for row in connection.execute(text(by_country))) == 950
        assert connection.execute(text(pages)).all()
    status, body = sql_asker(engine)(by_country)
    assert (status, b"'DE'" in body) == (200, True)


def test_lines_are_the_rows_that_the_writer_would_make() -> None:
    size = size_of(10_000, 40_000)
    for number in (0, 5, 2_801, 9_999):
        start = NOON + number
        ids = names(number, size)
        message = records.session(number, start, "final", 4, size.factor)
        message = msgspec.structs.replace(message, visitor_id=ids.visitor)
        row = row_of("sessions", message, msgspec.json.encode(message).decode())
        assert session_line(number, start, size, is_open=False) == as_line("sessions", row)
        events = records.events(number, start, size.factor)
        lines = list(event_lines(number, start, size))
        assert len(lines) == len(events) == message.events
        told = dict(zip(columns("events"), lines[-1].split("\t"), strict=True))
        assert told["visitor_id"] == ids.visitor
        assert told["event_time"] == str(message.end)
        assert decode("events", told["message"].encode()) is not None


def as_line(role: str, row: dict[str, Any]) -> str:
    cells = (row[name] for name in columns(role))
    return "\t".join(
        "\\N" if cell is None else str(int(cell) if isinstance(cell, bool) else cell)
        for cell in cells
    )


def test_events_are_those_of_the_newest_sessions_when_they_are_few() -> None:
    assert size_of(100, 200) == Size(sessions=100, visitors=50, factor=1, first=0)
    assert size_of(100, 1_000) == Size(sessions=100, visitors=50, factor=5, first=0)
    assert size_of(100, 50) == Size(sessions=100, visitors=50, factor=1, first=75)


def test_a_loaded_history_answers_with_its_indexes_back(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    before = sorted(index["name"] or "" for index in inspect(engine).get_indexes("sessions"))
    events, *_ = load(engine, size_of(320, 640), 90, NOON, print)
    assert (len(session_rows(engine)), events) == (320, 640)
    after = sorted(index["name"] or "" for index in inspect(engine).get_indexes("sessions"))
    assert after == before
    with engine.connect() as connection:
        noted = connection.execute(text("SELECT count(*) FROM stale_hours")).scalar_one()
    assert noted > 200


def test_questions_to_a_long_history_differ_in_name() -> None:
    history = History(size_of(1_000, 2_000), 90, NOON)
    every = [*lists(history), *over_a_month(history), *first_sql("sqlite", history)]
    assert len({question.name for question in every}) == len(every)
    for question in every:
        path = question.path(Random(1))
        assert path.startswith(("/sessions", "/stats", "/visitors", "SELECT", "WITH"))


def stored(part: str, number: int, rate: int, database: str = "sqlite") -> Stored:
    return Stored(
        database=database,
        part=part,
        number=number,
        sessions=100,
        updates=rate,
        events=2 * rate,
        seconds=1,
        updates_per_s=rate,
        events_per_s=2 * rate,
        cpu=0.5,
        disk_mb=100 * number,
    )


def answer(database: str, number: int, p50: float, **fields: object) -> Asked:
    plain = {
        "database": database,
        "question": "stats",
        "number": number,
        "count": 10,
        "p50_ms": p50,
        "p95_ms": 300.0,
        "p99_ms": 400.0,
        "longest_ms": 500.0,
        "answer_kb": 1.0,
    }
    return msgspec.convert(plain | fields, Asked)


def test_the_table_has_a_column_for_each_database() -> None:
    results: list[Result] = [
        stored("fill", 1, 12_000),
        stored("fill", 10, 9_000),
        stored("write", 1, 1_000),
        stored("write", 2, 1_200),
        answer("sqlite", 1, 90.0),
        answer("sqlite", 2, 110.0),
        answer("postgresql", 1, 1.0, failures=10, failure="503 busy"),
    ]
    databases = ["sqlite", "postgresql"]
    assert titles(databases) == ["what", "SQLite", "PostgreSQL"]
    assert rows(results, databases) == [
        ["stored: first tenth", "12,000 updates/s + 24,000 events/s", "–"],
        ["stored: last tenth", "9,000 updates/s + 18,000 events/s", "–"],
        ["stored: living sessions", "1,100 updates/s + 2,200 events/s (± 9%)", "–"],
        ["stored: updates of sessions alone", "–", "–"],
        ["the same, a statement for each row", "–", "–"],
        ["size of the database", "1.0 GB", "–"],
        ["stats", "100 ms / 300 ms / 400 ms (± 10%)", "failed: 503 busy"],
    ]
    assert [(bar.label, bar.value) for bar in bars(results, databases)] == [("stats, SQLite", 100)]


def test_an_unknown_database_is_named() -> None:
    assert chosen("") == ["sqlite", "postgresql"]
    with pytest.raises(SystemExit, match="'mysql'"):
        chosen("sqlite,mysql")


def test_batches_hold_messages_of_the_contract() -> None:
    events, sessions = records.slices(
        [records.session(1, NOON, "open", 1)], records.events(1, NOON), 7
    )
    assert (events.role, sessions.role) == ("events", "sessions")
    assert (sessions.records[0].offset, sessions.next_offset) == (7, 8)
    value = sessions.records[0].value
    assert isinstance(decode("sessions", value), SessionUpdate)
    assert isinstance(decode("events", events.records[0].value), EnrichedEvent)
