"""Sessions over time."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from api.calendar import Range
from api.history.filters import SessionFilter
from api.history.stats import answers
from api.history.stats.answers import Metrics
from api.history.stats.buckets import Bucket
from api.history.stats.counts import Counts, Grouping
from api.history.stats.dimensions import Dimension, value_of
from api.history.stats.metrics import Order
from api.history.stats.quantiles import Key


class Lines(NamedTuple):
    """For which values there shall be a series of its own."""

    dimension: Dimension
    keys: list[Key]


def lines_of(counts: Counts, wanted: SessionFilter, dimension: Dimension, limit: int) -> Lines:
    """The values with the most visitors."""
    return Lines(dimension, counts.largest(wanted, (dimension,), Order("visitors", limit)))


def timeseries(
    counts: Counts,
    wanted: SessionFilter,
    instants: Range,
    buckets: Sequence[Bucket],
    lines: Lines | None = None,
) -> answers.SeriesOfRange:
    """The metrics of each bucket of the range, those without sessions included."""
    counted = counts.measured(wanted, Grouping((), buckets)) if buckets else {}
    return answers.SeriesOfRange(
        from_=instants.start,
        to=instants.end,
        total=counts.measured(wanted, Grouping()).get((), Metrics()),
        points=_points(buckets, counted),
        series=_series(counts, wanted, buckets, lines) if lines and buckets else [],
    )


def _series(
    counts: Counts, wanted: SessionFilter, buckets: Sequence[Bucket], lines: Lines
) -> list[answers.Series]:
    by = Grouping((lines.dimension,), buckets)
    counted = counts.measured(wanted, by, chosen=lines.keys) if lines.keys else {}
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
