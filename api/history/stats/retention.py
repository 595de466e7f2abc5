"""Retention: of the visitors who came first in an interval, how many came again, and when."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs
from sqlalchemy import ColumnElement, Connection, Select, Subquery, exists, func, select

from api.history.filters import SessionFilter, session_conditions
from api.history.models import SessionRow
from api.history.stats import answers
from api.history.stats.buckets import Bucket
from api.history.stats.visits import bucket_number

Grid = dict[tuple[int, int], int]
"""Bucket of the first visit, bucket of a visit → visitors."""


def cohorts(
    connection: Connection, wanted: SessionFilter, buckets: Sequence[Bucket], now: int
) -> list[answers.Cohort]:
    """A cohort for each bucket of the range that has begun."""
    grid = _grid(connection, wanted, buckets) if buckets else {}
    begun = [bucket for bucket in buckets if bucket.range.start <= now]
    return [_cohort(number, begun, grid, now) for number in range(len(begun))]


def _cohort(number: int, begun: Sequence[Bucket], grid: Grid, now: int) -> answers.Cohort:
    label, (start, end), _ = begun[number]
    size = grid.get((number, number), 0)
    return answers.Cohort(
        label=label,
        from_=start,
        to=end,
        visitors=size,
        returned=[
            answers.Returned(
                number=later - number,
                visitors=grid.get((number, later), 0),
                rate=round(grid.get((number, later), 0) / size, 4),
                complete=begun[later].is_whole and begun[later].range.end <= now,
            )
            for later in range(number, len(begun) if size else number)
        ],
    )


def _grid(connection: Connection, wanted: SessionFilter, buckets: Sequence[Bucket]) -> Grid:
    return {(first, later): n for first, later, n in connection.execute(_counts(wanted, buckets))}


def _counts(wanted: SessionFilter, buckets: Sequence[Bucket]) -> Select[Any]:
    visits = _visits(wanted, buckets)
    whose = (visits.c.site_id, visits.c.visitor_id)
    first = func.min(visits.c.number).over(partition_by=whose).label("first")
    since = select(first, visits.c.number).where(~_came_before(wanted, visits)).subquery("since").c
    return select(since.first, since.number, func.count()).group_by(since.first, since.number)


def _visits(wanted: SessionFilter, buckets: Sequence[Bucket]) -> Subquery:
    """A row for each visitor and bucket with a visit."""
    row = SessionRow
    number = bucket_number(row.start, buckets).label("number")
    query = select(row.site_id, row.visitor_id, number).where(*session_conditions(wanted))
    return query.distinct().subquery("visits")


def _came_before(wanted: SessionFilter, visits: Subquery) -> ColumnElement[bool]:
    """Whether a visitor was there before the range, however long ago the history goes."""
    before = structs.replace(wanted, start_from=None, start_to=wanted.start_from)
    row = SessionRow
    return exists().where(
        row.site_id == visits.c.site_id,
        row.visitor_id == visits.c.visitor_id,
        *session_conditions(before),
    )
