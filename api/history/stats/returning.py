"""Who came first when, and when again, by the database."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs
from sqlalchemy import ColumnElement, Connection, Select, Subquery, exists, func, select

from api.history.filters import SessionFilter, session_conditions
from api.history.models import SessionRow
from api.history.stats.buckets import Bucket
from api.history.stats.visits import bucket_number

Grid = dict[tuple[int, int], int]
"""Bucket of the first visit, bucket of a visit → visitors."""


def returns(connection: Connection, wanted: SessionFilter, buckets: Sequence[Bucket]) -> Grid:
    """The visitors of the buckets, but those who came before."""
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
