"""Retention: of the visitors who came first in an interval, how many came again, and when."""

from collections.abc import Sequence

from api.history.filters import SessionFilter
from api.history.stats import answers
from api.history.stats.buckets import Bucket
from api.history.stats.counts import Counts
from api.history.stats.returning import Grid


def cohorts(
    counts: Counts, wanted: SessionFilter, buckets: Sequence[Bucket], now: int
) -> list[answers.Cohort]:
    """A cohort for each bucket of the range that has begun."""
    grid = counts.returns(wanted, buckets) if buckets else {}
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
