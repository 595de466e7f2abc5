"""Histories that change while blocks are built, and that blocks count as the database does."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import Connection, Engine, delete, select

from api.calendar import Range, days_of
from api.choices import Choice, choice_of
from api.history.blocks.builder import Builder
from api.history.blocks.memory import Memory
from api.history.blocks.reading import MOST_STALE
from api.history.filters import SessionFilter
from api.history.models import SessionRow, StaleHourRow
from api.history.overview import overview
from api.history.stats.block_counts import BlockCounts
from api.history.stats.block_overview import overview_of_blocks
from api.history.stats.buckets import buckets_of
from api.history.stats.counts import Counts, Grouping, SqlCounts
from api.history.stats.metrics import Order
from api.history.writer import HistoryWriter
from tests.support.history import a_slice
from tests.support.stats_histories import BEGIN, HOUR, histories
from tests.support.stats_oracle import Visit

DAY = 24 * HOUR
DIMENSIONS = ("entry", "exit", "country", "device", "utm_source", "site")
ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe")

Steps = Sequence[tuple[str, Any]]


class Refusing:
    """Counts nothing: all that is asked here, blocks must know."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was not counted from blocks")


class Asked(NamedTuple):
    """A question to either."""

    fields: dict[str, Any]
    instants: Range
    dimensions: Any
    zone: str
    interval: Any
    order: Order


WANTED = st.sampled_from(
    (
        {},
        {"site_id": "shop"},
        {"site_id": "nowhere"},
        {"countries": Choice(frozenset({"DE"}))},
        {"countries": Choice(frozenset({"unknown", "FR"})), "bots": "exclude"},
        {"devices": Choice(frozenset({"mobile"})), "events_min": 2},
        {"utm_sources": Choice(frozenset({""}))},
        {"utm_sources": Choice(frozenset({"news", "other"})), "bots": "only"},
        {"statuses": frozenset({"closed", "final"})},
        {"countries": choice_of(["!DE"]), "devices": choice_of(["!mobile", "!"])},
        {"utm_sources": choice_of(["news", "!other"]), "exit": choice_of(["!/c*"])},
        {"entry": Choice(frozenset({"/shop/*"}))},
        {"entry": Choice(frozenset({"/cart"})), "bots": "exclude"},
        {"exit": Choice(frozenset({"/shop/?"})), "bounced": False},
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
            Builder(engine, lambda at=what: at, breath=0).build()  # type: ignore[misc]
        else:
            with engine.begin() as connection:
                erased = delete(SessionRow).where(SessionRow.visitor_id == f"v{what}")
                connection.execute(erased)


def tell(engine: Engine, visits: list[Visit], epoch: int) -> None:
    sessions = [structs.replace(visit.session, epoch=epoch) for visit in visits]
    if sessions:
        HistoryWriter(engine).take([a_slice("sessions", sessions)])


ASKED = st.builds(
    Asked,
    WANTED,
    RANGES,
    st.lists(st.sampled_from(DIMENSIONS), max_size=2, unique=True).map(tuple),
    st.sampled_from(ZONES),
    st.sampled_from(("hour", "day", "week")),
    st.builds(
        Order,
        st.sampled_from(("visitors", "sessions", "views", "events")),
        st.integers(1, 4),
        st.integers(0, 2),
    ),
)


def check_blocks(engine: Engine, steps: Steps, asked: Asked) -> None:
    """Live through the steps; then either way of counting gives the same answers."""
    live_through(engine, steps)
    with engine.connect() as connection:
        noted = connection.execute(select(StaleHourRow.hour).distinct()).all()
    if len(noted) > MOST_STALE:
        # Then blocks would not be asked.
        Builder(engine, lambda: BEGIN + 30 * DAY, breath=0).build()
    instants, dimensions, zone = asked.instants, asked.dimensions, ZoneInfo(asked.zone)
    wanted = SessionFilter(**asked.fields, start_from=instants.start, start_to=instants.end)
    buckets, days = buckets_of(instants, asked.interval, zone), days_of(instants, zone, 92)
    with engine.connect() as connection:
        sql, blocks = SqlCounts(connection), _blocks(connection, dimensions)
        for by in (Grouping(dimensions), Grouping(dimensions, buckets)):
            assert blocks.measured(wanted, by) == sql.measured(wanted, by)
        assert blocks.returns(wanted, buckets) == sql.returns(wanted, buckets)
        found = overview_of_blocks(connection, Memory(), wanted, days)
        assert found == overview(connection, wanted, days)
        if dimensions:
            _check_order(sql, blocks, wanted, dimensions, asked.order)
            largest = sql.largest(wanted, dimensions, asked.order)
            by = Grouping(dimensions, buckets)
            chosen = blocks.measured(wanted, by, chosen=largest)
            assert chosen == sql.measured(wanted, by, chosen=largest)


def _check_order(
    sql: Counts, blocks: Counts, wanted: SessionFilter, dimensions: Any, order: Order
) -> None:
    largest = sql.largest(wanted, dimensions, order)
    assert blocks.largest(wanted, dimensions, order) == largest
    ranked = blocks.measured(wanted, Grouping(dimensions), order)
    expected = sql.measured(wanted, Grouping(dimensions), order)
    assert list(ranked.items()) == list(expected.items())


def _blocks(connection: Connection, dimensions: Any) -> Counts:
    return BlockCounts(connection, Memory(), dimensions, Refusing())
