"""The statistics' addresses under /api/v1/stats."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from sqlalchemy import Connection, Engine
from starlette.responses import Response

from api.feed import Clock
from api.history.blocks.memory import Memory
from api.history.stats import answers as told
from api.history.stats.block_counts import BlockCounts
from api.history.stats.buckets import BUCKET_LIMIT, Bucket, Interval, buckets_of
from api.history.stats.caching import cachable
from api.history.stats.counts import Counts, SqlCounts
from api.history.stats.funnel import funnel
from api.history.stats.parameters import (
    BreakdownParameters,
    FunnelParameters,
    PathsParameters,
    Question,
    QuestionParameters,
    RetentionParameters,
    TimeseriesParameters,
    TopParameters,
)
from api.history.stats.paths import paths
from api.history.stats.rankings import ranking
from api.history.stats.retention import cohorts
from api.history.stats.scanning import scanning
from api.history.stats.timeseries import lines_of, timeseries
from api.problems import wrong_parameter
from api.schema import answers


def statistics_router(engine: Engine, clock: Clock, memory: Memory) -> APIRouter:
    """Routes that answer from the database behind ``engine``, and blocks of it in memory."""
    router = APIRouter(prefix="/api/v1/stats", tags=["statistics"], default_response_class=Response)

    @router.get("/timeseries", responses=answers(told.Timeseries, 422, 503))
    def over_time(request: Request, given: Annotated[TimeseriesParameters, Query()]) -> Response:
        """Sessions by minute, hour, day, week or month, buckets without any included."""
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = _timeseries(_counts(connection, memory, given), given, asked)
        return cachable(request, answer, asked.instants, now)

    @router.get("/top", responses=answers(told.Top, 422, 503))
    def top(request: Request, given: Annotated[TopParameters, Query()]) -> Response:
        """The values of one dimension, largest first."""
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = _top(_counts(connection, memory, given), given, asked)
        return cachable(request, answer, asked.instants, now)

    @router.get("/breakdown", responses=answers(told.Breakdown, 422, 503))
    def breakdown(request: Request, given: Annotated[BreakdownParameters, Query()]) -> Response:
        """The combinations of two dimensions' values, largest first."""
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = _breakdown(_counts(connection, memory, given), given, asked)
        return cachable(request, answer, asked.instants, now)

    @router.get("/funnel", responses=answers(told.Funnel, 422, 503))
    def steps(request: Request, given: Annotated[FunnelParameters, Query()]) -> Response:
        """How many went through some steps in their order.

        A step is reached by an event later than one that reached the step before. Who may have
        begun more than once is judged by the best of the beginnings.
        """
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = _funnel(connection, given, asked)
        return cachable(request, answer, asked.instants, now)

    @router.get("/retention", responses=answers(told.Retention, 422, 503))
    def retention(request: Request, given: Annotated[RetentionParameters, Query()]) -> Response:
        """Who came back, of the visitors who came first in each week or day.

        A first visit is the first of all in the history that match the filters, even those before
        the range. Without a range, the last 12 weeks or 14 days.
        """
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = _retention(_counts(connection, memory, given), given, asked, now)
        return cachable(request, answer, asked.instants, now)

    @router.get("/paths", responses=answers(told.Paths, 422, 503))
    def ways(request: Request, given: Annotated[PathsParameters, Query()]) -> Response:
        """The pages that people viewed after a page, or before it, as steps and links."""
        now = clock()
        asked = given.question(now)
        with scanning(engine) as connection:
            answer = paths(connection, asked.wanted, asked.instants, given.walk())
        return cachable(request, answer, asked.instants, now)

    return router


def _counts(connection: Connection, memory: Memory, given: QuestionParameters) -> Counts:
    """Who counts: blocks as far as they can, else the database."""
    asked = (given.dimension,) if isinstance(given, TopParameters | TimeseriesParameters) else ()
    named = given.dimensions if isinstance(given, BreakdownParameters) else asked
    dimensions = [name for name in named if name is not None]
    return BlockCounts(connection, memory, dimensions, SqlCounts(connection))


def _timeseries(counts: Counts, given: TimeseriesParameters, asked: Question) -> told.Timeseries:
    interval = given.chosen_interval(asked.instants)
    buckets = _buckets(asked, interval)
    lines = None
    if given.dimension:
        lines = lines_of(counts, asked.wanted, given.dimension, given.limit)
    before = None
    if asked.before and asked.previous:
        earlier = buckets_of(asked.previous, interval, asked.zone, 2 * BUCKET_LIMIT)
        before = timeseries(counts, asked.before, asked.previous, earlier, lines)
    return told.Timeseries(
        time_zone=asked.zone.key,
        interval=interval,
        dimension=given.dimension,
        current=timeseries(counts, asked.wanted, asked.instants, buckets, lines),
        previous=before,
    )


def _buckets(asked: Question, interval: Interval) -> list[Bucket]:
    try:
        return buckets_of(asked.instants, interval, asked.zone)
    except ValueError as error:
        raise wrong_parameter("interval", str(error)) from None


def _top(counts: Counts, given: TopParameters, asked: Question) -> told.Top:
    found = ranking(counts, (given.dimension,), asked.wanted, asked.before, given.order)
    return told.Top(
        from_=asked.instants.start,
        to=asked.instants.end,
        dimension=given.dimension,
        items=[
            told.Ranked(value=row.values[0], metrics=row.metrics, previous=row.previous)
            for row in found.rows
        ],
        more=found.more,
    )


def _breakdown(counts: Counts, given: BreakdownParameters, asked: Question) -> told.Breakdown:
    found = ranking(counts, given.dimensions, asked.wanted, asked.before, given.order)
    return told.Breakdown(
        from_=asked.instants.start,
        to=asked.instants.end,
        dimensions=list(given.dimensions),
        items=[
            told.Combined(values=row.values, metrics=row.metrics, previous=row.previous)
            for row in found.rows
        ],
        more=found.more,
    )


def _funnel(connection: Connection, given: FunnelParameters, asked: Question) -> told.Funnel:
    rules = given.rules()
    before = None
    if asked.before and asked.previous:
        before = funnel(connection, asked.before, asked.previous, rules)
    return told.Funnel(
        by=rules.by,
        within_ms=rules.within_ms,
        current=funnel(connection, asked.wanted, asked.instants, rules),
        previous=before,
    )


def _retention(
    counts: Counts, given: RetentionParameters, asked: Question, now: int
) -> told.Retention:
    buckets = given.buckets(asked.instants)
    return told.Retention(
        from_=asked.instants.start,
        to=asked.instants.end,
        time_zone=asked.zone.key,
        interval=given.interval,
        cohorts=cohorts(counts, asked.wanted, buckets, now),
    )
