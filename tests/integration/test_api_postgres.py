"""The history on a real PostgreSQL: the same rows, answers and patience as on SQLite."""

import logging
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import httpx
import msgspec
import pytest
from sqlalchemy import Engine, make_url, select, text

from api.access.store import KeyWish, all_keys, create_key, revoke_key
from api.history.answers import SessionCount
from api.history.copying import COPY_FROM
from api.history.engine import migrate, open_engine
from api.history.keeper import Keeper
from api.history.models import Base
from api.history.probe import write_failure
from api.history.retention import Limits
from api.history.store import stored_positions
from api.history.writer import HistoryWriter
from api.progress import Place
from contracts.settings import Secret
from tests.support.api import client_of
from tests.support.erasing import ADA, BOB, UNTIL, Stage
from tests.support.filtering import CASES, EVENTS, NOW, SESSIONS
from tests.support.history import (
    a_slice,
    filtered_before_the_columns,
    known_since,
    late_before_the_column,
    new_history,
    session_rows,
    set_aside,
)
from tests.support.messages import (
    MINUTE,
    NOON,
    a_bucket,
    a_dead_letter,
    a_job_status,
    a_late_event,
    a_session,
    an_event,
    an_interceptor,
)
from tests.support.paging import SORTS, a_numbered_session, a_page, all_pages, whole_list
from tests.support.postgres import Postgres, private_postgres
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with private_postgres() as running:
        yield running


@pytest.fixture
def url(postgres: Postgres, request: pytest.FixtureRequest) -> str:
    """A database of the test's own."""
    name = f"test_{abs(hash(request.node.nodeid))}"
    admin = open_engine(postgres.url)
    with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return make_url(postgres.url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    opened = open_engine(url)
    migrate(opened)
    migrate(opened)
    yield opened
    opened.dispose()


def test_the_highest_version_wins_in_any_order(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    writer.take([a_slice("sessions", [a_session(epoch=1, revision=3), a_session("b")])])
    writer.take([a_slice("sessions", [a_session(epoch=2, revision=1), a_session("b")])])
    writer.take([a_slice("sessions", [a_session(epoch=1, revision=9)], first_offset=7)])
    assert session_rows(engine) == {"s1": (2, 1, "open"), "b": (1, 1, "open")}
    with engine.connect() as connection:
        assert stored_positions(connection) == {Place("clickwake.sessions", 0): 8}


def test_every_kind_of_message_is_kept(engine: Engine) -> None:
    writer = HistoryWriter(engine)
    for _ in range(2):
        writer.take(
            [
                a_slice("events", [an_event()]),
                a_slice("dead-letters", [a_dead_letter()]),
                a_slice("late-events", [a_late_event()]),
                a_slice("job-status", [a_job_status()]),
            ]
        )
    with engine.connect() as connection:
        for table in ("events", "dead_letters", "late_events", "job_status"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 1


def test_what_postgres_cannot_hold_costs_its_row_only(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    writer = HistoryWriter(engine)
    with caplog.at_level(logging.WARNING):
        writer.take(
            [
                a_slice(
                    "sessions",
                    [
                        a_session("good"),
                        a_session("huge", duration_ms=10**30),
                        a_session("null", entry_page="/\0"),
                        a_session("long", visitor_id=Random(1).randbytes(3_000).hex()),
                    ],
                )
            ]
        )
    assert list(session_rows(engine)) == ["good"]
    assert writer.unreadable == 3
    reasons = set_aside(engine)
    assert sorted(reasons) == ["sessions/1", "sessions/2", "sessions/3"]
    assert "too large" in reasons["sessions/1"] or "out of range" in reasons["sessions/1"]
    assert "NUL" in reasons["sessions/2"] or "0x00" in reasons["sessions/2"]
    assert "index row size" in reasons["sessions/3"]


def test_copied_rows_are_those_of_sqlite(engine: Engine, tmp_path: Path) -> None:
    """Three batches large enough for COPY, with old news and with poison among the rows."""
    batches = [
        [a_numbered_session(n, n % 3, n % 2, n % 4) for n in range(COPY_FROM + 50)],
        [a_session(f"s{n}", revision=3, pages=n, status="final") for n in range(COPY_FROM + 60)],
        [
            *(a_session(f"s{n}", revision=2 + n % 3, pages=2 * n) for n in range(COPY_FROM + 70)),
            a_session("huge", duration_ms=10**30),
        ],
    ]
    light = new_history(tmp_path)
    for history in (engine, light):
        known_since(history, 0)
        writer = HistoryWriter(history, clock=lambda: NOON)
        for number, batch in enumerate(batches):
            events = [an_event(f"e{n}", path=f"/\0/{number}") for n in range(COPY_FROM)]
            writer.take([a_slice("sessions", batch), a_slice("events", events)])
        assert list(set_aside(history)) == [f"sessions/{COPY_FROM + 70}"]
    for table in ("sessions", "session_revisions", "events", "consumer_offsets", "history_facts"):
        assert whole_table(engine, table) == whole_table(light, table)


def whole_table(engine: Engine, name: str) -> list[dict[str, object]]:
    """But for the keys of each history's own, in one order whatever the collation."""
    rows = Base.metadata.tables[name]
    with engine.connect() as connection:
        found = [dict(row) for row in connection.execute(select(rows)).mappings()]
    keys = [column.name for column in rows.primary_key]
    kept = [row for row in found if row.get("name") not in ("cursor_key", "erasure_key")]
    return sorted(kept, key=lambda row: [row[key] for key in keys])


def test_autovacuum_does_not_wait_for_a_fifth_of_a_table(engine: Engine) -> None:
    with engine.connect() as connection:
        for table in ("sessions", "session_revisions", "events"):
            found = text(f"SELECT reloptions FROM pg_class WHERE relname = '{table}'")
            options = connection.execute(found).scalar_one()
            assert "autovacuum_vacuum_scale_factor=0.02" in options


def test_answers(engine: Engine, url: str, tmp_path: Path) -> None:
    known_since(engine, 0)
    writer = HistoryWriter(engine, clock=lambda: NOON)
    writer.take(
        [
            a_slice(
                "sessions",
                [
                    *(a_session(f"s{n}", start=NOON + n // 2, end=NOON + n) for n in range(5)),
                    a_session("old", status="merged", merged_into="s4"),
                ],
            ),
            a_slice("events", [an_event(f"e{n}", event_time=NOON + n) for n in range(3)]),
        ]
    )
    with client_of(tmp_path, clock=lambda: NOON + MINUTE, database_url=Secret(url)) as api:
        assert listed(api) == ["s4", "s3", "s2", "s1", "s0"]
        assert api.get("/api/v1/sessions/old").headers["location"].endswith("/s4")
        stats = api.get("/api/v1/stats").json()
        assert (stats["sessions"], stats["median_duration_ms"]) == (5, 1)
        assert stats["per_minute"][-1]["pages"] == 3
        days = api.get("/api/v1/stats?period=last_7_days&time_zone=Asia/Kolkata").json()["per_day"]
        assert [day["sessions"] for day in days] == [0, 0, 0, 0, 0, 0, 5]
        assert len(api.get("/api/v1/sessions?day=2026-03-01").json()["items"]) == 5
        lines = api.get("/api/v1/sessions/export?fields=session_id&limit=4").text.split()
        assert lines == [f'{{"session_id":"s{n}"}}' for n in (4, 3, 2, 1)]
        rest = api.get("/api/v1/sessions/export?fields=session_id&after=s1").text.split()
        assert rest == ['{"session_id":"s0"}']
        why = api.get("/api/v1/sessions/s4").json()["why"]
        assert (why["begins"]["reason"], why["ends"]["reason"]) == ("first", "open")
        assert [one["session_id"] for one in why["took_in"]] == []
        assert api.get("/api/v1/visitors/visitor-of-s4?site=shop").json()["sessions"] == 1


def test_sessions_are_chosen_as_on_sqlite(url: str, tmp_path: Path) -> None:
    """Of a history that was there before its columns, and after each session was told again."""
    engine = open_engine(url)
    filtered_before_the_columns(engine)
    migrate(engine)
    with client_of(tmp_path, clock=lambda: NOW, database_url=Secret(url)) as api:
        assert chosen(api) == [expected for _, expected in CASES]
        again = [msgspec.structs.replace(one, revision=2) for one in SESSIONS]
        odd = an_event("null", visitor_id="visitor-of-paris", path="/a\0b")
        HistoryWriter(engine).take([a_slice("sessions", again), a_slice("events", [*EVENTS, odd])])
        assert chosen(api) == [expected for _, expected in CASES]
        assert api.get("/api/v1/sessions?path=/a*b").json()["items"]
    engine.dispose()


def test_pages_hold_as_on_sqlite(engine: Engine) -> None:
    known_since(engine, 0)
    there = [a_numbered_session(n, n % 3, n % 2, n % 4) for n in range(10)]
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("sessions", there)])
    for sort in SORTS:
        known = whole_list(engine, sort)
        query = {"sort": sort, "limit": "3"}
        coming = [a_numbered_session(100 * n + len(sort), n % 3, 0, n) for n in range(1, 4)]
        seen = all_pages(engine, query, coming)
        assert len(seen) == len(set(seen))
        assert seen == [one for one in whole_list(engine, sort) if one in seen]
        assert set(known) <= set(seen)


def test_as_of_a_moment_and_what_is_too_old(engine: Engine) -> None:
    known_since(engine, 0)
    there = [a_numbered_session(n, n % 3, n % 2, n % 4) for n in range(10)]
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("sessions", there)])
    known = whole_list(engine, "-duration")
    growth = [a_session(f"s{n}", end=NOON + 9 * n, revision=2) for n in range(4)]
    query = {"sort": "-duration", "limit": "3", "as_of": "now"}
    assert all_pages(engine, query, growth) == known
    for kind in ("exact", "estimated"):
        count = a_page(engine, {"as_of": "now", "count": kind}).count
        assert count == SessionCount(sessions=10, is_exact=True)
    chosen_ones = {"count": "estimated", "country": "DE,FR", "events_min": "1", "entry": "/*"}
    assert a_page(engine, chosen_ones).count == SessionCount(sessions=8, is_exact=True)
    limits = Limits(revisions=MINUTE, history=MINUTE)
    assert Keeper(engine, limits, lambda: NOON + 2 * MINUTE).forget() == 4, "states of the past"
    assert len(session_rows(engine)) == 10, "all are open"


def chosen(api: httpx.Client) -> list[list[str]]:
    answers = (api.get("/api/v1/sessions", params=query) for query, _ in CASES)
    return [[one["session_id"] for one in answer.json()["items"]] for answer in answers]


def test_keys_and_log_ins_work_likewise(engine: Engine, url: str, tmp_path: Path) -> None:
    with engine.begin() as connection:
        wish = KeyWish("a test's", frozenset({"read", "admin"}), expires=NOON + MINUTE)
        made = create_key(connection, wish, NOON)
    settings = {"database_url": Secret(url), "require_keys": True}
    headers = {"Authorization": f"Bearer {made.text}"}
    now = [NOON]
    with client_of(tmp_path, lambda: now[0], **settings) as client:
        assert client.get("/api/v1/sessions").status_code == 401
        assert client.post("/api/v1/login", json={"key": made.text}).status_code == 204
        assert client.get("/api/v1/sessions").status_code == 200
        assert client.post("/api/v1/logout").status_code == 204
        entries = client.get("/api/v1/audit", headers=headers).json()["items"]
        assert [entry["action"] for entry in entries] == ["log_out", "log_in"]
        now[0] += MINUTE
        assert client.get("/api/v1/sessions", headers=headers).status_code == 401
        wait_until(lambda: last_use(engine) == NOON, what="the use is written")
    with engine.begin() as connection:
        assert revoke_key(connection, made.id, NOON + MINUTE)
        assert not revoke_key(connection, made.id, NOON + MINUTE)


def last_use(engine: Engine) -> int | None:
    with engine.connect() as connection:
        used: int | None = all_keys(connection)[0].last_used
    return used


def test_chains_of_merges_end(engine: Engine, url: str, tmp_path: Path) -> None:
    chain = [f"s{n}" for n in range(50)]
    merged = [a_session(one, status="merged", merged_into=into) for one, into in pairwise(chain)]
    circle = [a_session(c, status="merged", merged_into=i) for c, i in ("ab", "ba")]
    HistoryWriter(engine).take([a_slice("sessions", [*merged, a_session("s49"), *circle])])
    with client_of(tmp_path, database_url=Secret(url)) as api:
        assert api.get("/api/v1/sessions/s0").headers["location"].endswith("/s49")
        assert api.get("/api/v1/sessions/a").status_code == 404


def test_the_ledger(engine: Engine, url: str, tmp_path: Path) -> None:
    placed = a_late_event("placed", offset=1)
    HistoryWriter(engine).take(
        [
            a_slice("bucket-stats", [a_bucket(0), a_bucket(1, epoch=2), a_bucket(2, epoch=2)]),
            a_slice("interceptor-stats", [an_interceptor()]),
            a_slice("job-status", [a_job_status(behind=3)]),
            a_slice("late-events", [placed, a_late_event("null\0in it", offset=2)]),
            a_slice("events", [placed.event]),
        ]
    )
    with client_of(tmp_path, database_url=Secret(url)) as api:
        found = api.get("/api/v1/ledger").json()
    assert (found["total"]["requests"], found["balances"], found["behind"]) == (8, True, 3)
    assert (found["late_listed"], found["late_placed"]) == (2, 1)
    assert found["interceptors"]["unexplained"] == 4


def test_late_events_of_an_older_history_get_their_event_id(url: str) -> None:
    engine = open_engine(url)
    late_before_the_column(engine)
    migrate(engine)
    with engine.connect() as connection:
        found = connection.execute(text('SELECT "offset", event_id FROM late_events')).all()
    assert sorted(map(tuple, found)) == [(n, f"late-{n}") for n in range(1_500)]
    engine.dispose()


def listed(api: httpx.Client) -> list[str]:
    seen, cursor = [], None
    while True:
        parameters = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/api/v1/sessions", params=parameters).json()
        seen += [item["session_id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return seen


def test_a_read_only_database_is_told(engine: Engine) -> None:
    assert write_failure(engine) is None
    with engine.begin() as connection:
        name = engine.url.database
        connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
    engine.dispose()
    assert "read-only transaction" in str(write_failure(engine))


def test_a_crash_of_postgres_loses_and_doubles_nothing(postgres: Postgres, engine: Engine) -> None:
    writer = HistoryWriter(engine)
    writer.take([a_slice("sessions", [a_session("before")])])
    postgres.stop("immediate")
    late = threading.Thread(
        target=writer.take, args=([a_slice("sessions", [a_session("during")], 1)],)
    )
    late.start()
    wait_until(lambda: writer.failure, what="the writer notices")
    postgres.start()
    late.join(60)
    assert not late.is_alive()
    assert writer.failure is None
    assert sorted(session_rows(engine)) == ["before", "during"]
    with engine.connect() as connection:
        assert stored_positions(connection) == {Place("clickwake.sessions", 0): 2}


def test_an_erased_visitor_is_gone_with_all_ids(engine: Engine, url: str, tmp_path: Path) -> None:
    stage = Stage(engine)
    with client_of(tmp_path, clock=lambda: UNTIL, database_url=Secret(url)) as client:
        assert client.delete(f"/api/v1/visitors/{ADA}?site=shop").status_code == 202
        stage.eraser.carry_on()
        stage.hear(stage.told[0], phase="cleaned", until=UNTIL)
        stage.eraser.carry_on()
        (erasure,) = client.get("/api/v1/erasures").json()["items"]
    assert (erasure["phase"], erasure["ids"]) == ("done", 3)
    assert (stage.names(), stage.rows()) == ({BOB}, 5)
