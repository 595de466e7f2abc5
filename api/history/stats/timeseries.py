"""Sessions over time."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from api.calendar import Range
from api.history.filters import SessionFilter
from api.history.models import SessionRow
from api.history.stats import answers
from api.history.stats.answers import Metrics
from api.history.stats.buckets import Bucket
from api.history.stats.dimensions import Dimension, value_of
from api.history.stats.facts import facts_by
from api.history.stats.metrics import Order, among, largest, measured
from api.history.stats.quantiles import Key
from api.history.stats.visits import bucket_number


class Lines(NamedTuple):
    """For which values there shall be a series of its own."""

    dimension: Dimension
    keys: list[Key]


def lines_of(
    connection: Connection, wanted: SessionFilter, dimension: Dimension, limit: int
) -> Lines:
    """The values with the most visitors."""
    facts = facts_by((dimension,), wanted)
    return Lines(dimension, largest(connection, facts, (dimension,), Order("visitors", limit)))


def timeseries(
    connection: Connection,
    wanted: SessionFilter,
    instants: Range,
    buckets: Sequence[Bucket],
    lines: Lines | None = None,
) -> answers.SeriesOfRange:
    """The metrics of each bucket of the range, those without sessions included."""
    number = bucket_number(SessionRow.start, buckets).label("bucket")
    every = facts_by((), wanted, number)
    counted = measured(connection, every, ("bucket",)) if buckets else {}
    return answers.SeriesOfRange(
        from_=instants.start,
        to=instants.end,
        total=measured(connection, facts_by((), wanted)).get((), Metrics()),
        points=_points(buckets, counted),
        series=_series(connection, wanted, buckets, lines) if lines and buckets else [],
    )


def _series(
    connection: Connection, wanted: SessionFilter, buckets: Sequence[Bucket], lines: Lines
) -> list[answers.Series]:
    name, number = lines.dimension, bucket_number(SessionRow.start, buckets).label("bucket")
    facts = among(facts_by((name,), wanted, number), (name,), lines.keys)
    counted = measured(connection, facts, (name, "bucket")) if lines.keys else {}
    return [
        answers.Series(
            value=value_of(key),
            points=_points(buckets, {(b,): of for (one, b), of in counted.items() if one == key}),
        )
        for (key,) in lines.keys
    ]


def _points(buckets: Sequence[Bucket], counted: Mapping[Key, Metrics]) -> list[answers.Point]:
    return [
        answers.Point(
            label=bucket.label,
            from_=bucket.range.start,
            to=bucket.range.end,
            metrics=counted.get((number,), Metrics()),
        )
        for number, bucket in enumerate(buckets)
    ]
