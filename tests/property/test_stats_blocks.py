"""What is counted from blocks is what the database counts, however the history came about."""

from collections.abc import Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import Connection, Engine, delete

from api.calendar import Range, days_of
from api.history.blocks.builder import Builder
from api.history.blocks.memory import Memory
from api.history.filters import SessionFilter
from api.history.models import BlockRow, SessionRow, StaleHourRow
from api.history.overview import overview
from api.history.stats.block_counts import BlockCounts
from api.history.stats.block_overview import overview_of_blocks
from api.history.stats.buckets import buckets_of
from api.history.stats.counts import Counts, Grouping, SqlCounts
from api.history.stats.metrics import Order
from api.history.writer import HistoryWriter
from tests.support.history import a_slice, new_history
from tests.support.stats_histories import BEGIN, HOUR, histories
from tests.support.stats_oracle import Visit

DAY = 24 * HOUR
DIMENSIONS = ("entry", "exit", "country", "device", "utm_source", "site")
ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe")


class Refusing:
    """Counts nothing: all that is asked here, blocks must know."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was not counted from blocks")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = new_history(tmp_path_factory.mktemp("blocks"))
    yield engine
    engine.dispose()


WANTED = st.sampled_from(
    (
        {},
        {"site_id": "shop"},
        {"site_id": "nowhere"},
        {"countries": frozenset({"DE"})},
        {"countries": frozenset({"unknown", "FR"}), "bots": "exclude"},
        {"devices": frozenset({"mobile"}), "events_min": 2},
        {"utm_sources": frozenset({""})},
        {"utm_sources": frozenset({"news", "other"}), "bots": "only"},
        {"statuses": frozenset({"closed", "final"})},
        {"entry": "/shop/*"},
        {"entry": "/cart", "bots": "exclude"},
        {"exit": "/shop/?", "bounced": False},
        {"bounced": True},
        {"duration_min": 1000, "duration_max": 60_000, "events_max": 3},
    )
)
RANGES = st.builds(
    lambda first, length: Range(BEGIN + first, BEGIN + first + length),
    st.sampled_from((0, 7 * HOUR + 1, 30 * HOUR, 3 * DAY - 30 * 60_000)),
    st.sampled_from((1, 9 * HOUR, 2 * DAY, 5 * DAY, 9 * DAY + 1)),
)
TOLD = st.tuples(st.just("tell"), histories().filter(bool))
STEPS = st.builds(
    lambda first, more: [first, *more],
    TOLD,
    st.lists(
        st.one_of(
            TOLD,
            st.tuples(st.just("erase"), st.integers(0, 2)),
            st.tuples(st.just("build"), st.sampled_from((BEGIN + 3 * DAY, BEGIN + 30 * DAY))),
            st.tuples(st.just("build"), st.just(BEGIN + 30 * DAY)),
        ),
        max_size=4,
    ),
)


def live_through(engine: Engine, steps: Sequence[tuple[str, Any]]) -> None:
    """Tell visits, which may change those told before; erase visitors; build blocks."""
    with engine.begin() as connection:
        connection.execute(delete(SessionRow))
    for epoch, (step, what) in enumerate(steps, start=1):
        if step == "tell":
            tell(engine, what, epoch)
        elif step == "build":
            Builder(engine, lambda at=what: at).build()  # type: ignore[misc]
        else:
            with engine.begin() as connection:
                erased = delete(SessionRow).where(SessionRow.visitor_id == f"v{what}")
                connection.execute(erased)


def tell(engine: Engine, visits: list[Visit], epoch: int) -> None:
    sessions = [structs.replace(visit.session, epoch=epoch) for visit in visits]
    if sessions:
        HistoryWriter(engine).take([a_slice("sessions", sessions)])


@given(
    steps=STEPS,
    fields=WANTED,
    instants=RANGES,
    dimensions=st.lists(st.sampled_from(DIMENSIONS), max_size=2, unique=True).map(tuple),
    zone=st.sampled_from(ZONES),
    interval=st.sampled_from(("hour", "day", "week")),
    order=st.builds(
        Order,
        st.sampled_from(("visitors", "sessions", "views", "events")),
        st.integers(1, 4),
        st.integers(0, 2),
    ),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_blocks_count_as_the_database_does(
    engine: Engine,
    steps: list[tuple[str, Any]],
    fields: dict[str, Any],
    instants: Range,
    dimensions: Any,
    zone: str,
    interval: Any,
    order: Order,
) -> None:
    live_through(engine, steps)
    wanted = SessionFilter(**fields, start_from=instants.start, start_to=instants.end)
    buckets = buckets_of(instants, interval, ZoneInfo(zone))
    with engine.connect() as connection:
        sql, blocks = SqlCounts(connection), blocks_of(connection, dimensions)
        for by in (Grouping(dimensions), Grouping(dimensions, buckets)):
            assert blocks.measured(wanted, by) == sql.measured(wanted, by)
        assert blocks.returns(wanted, buckets) == sql.returns(wanted, buckets)
        days = days_of(instants, ZoneInfo(zone), 92)
        found = overview_of_blocks(connection, Memory(), wanted, days)
        assert found == overview(connection, wanted, days)
        if dimensions:
            largest = sql.largest(wanted, dimensions, order)
            assert blocks.largest(wanted, dimensions, order) == largest
            chosen = blocks.measured(wanted, Grouping(dimensions, buckets), chosen=largest)
            assert chosen == sql.measured(wanted, Grouping(dimensions, buckets), chosen=largest)
            ranked = blocks.measured(wanted, Grouping(dimensions), order)
            assert list(ranked.items()) == list(
                sql.measured(wanted, Grouping(dimensions), order).items()
            )


def blocks_of(connection: Connection, dimensions: Any) -> Counts:
    return BlockCounts(connection, Memory(), dimensions, Refusing())


@given(steps=STEPS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_an_hour_without_blocks_or_a_note_has_no_sessions(
    engine: Engine, steps: list[tuple[str, Any]]
) -> None:
    live_through(engine, steps)
    with engine.connect() as connection:
        starts = connection.execute(SessionRow.__table__.select()).mappings().all()
        known = {
            hour
            for (hour,) in connection.execute(
                BlockRow.__table__.select().with_only_columns(BlockRow.hour)
            )
        }
        known |= {row.hour for row in connection.execute(StaleHourRow.__table__.select())}
    assert {row["start"] // HOUR for row in starts if row["status"] != "merged"} <= known
