"""The largest values of a dimension, and the largest combinations of two."""

from typing import NamedTuple

from api.history.filters import SessionFilter
from api.history.stats.answers import Metrics
from api.history.stats.counts import Counts, Grouping
from api.history.stats.dimensions import Dimension, value_of
from api.history.stats.metrics import Order
from api.history.stats.quantiles import Key


class Row(NamedTuple):
    """Values, one a dimension, their sessions, and those of the period before if it is wanted."""

    values: list[str | None]
    metrics: Metrics
    previous: Metrics | None


class Ranking(NamedTuple):
    """Rows in order, and whether there are more."""

    rows: list[Row]
    more: bool


def ranking(
    counts: Counts,
    dimensions: tuple[Dimension, ...],
    wanted: SessionFilter,
    before: SessionFilter | None,
    order: Order,
) -> Ranking:
    """The largest groups of the wanted sessions."""
    one_more = order._replace(limit=order.limit + 1)
    found = counts.measured(wanted, Grouping(dimensions), one_more)
    keys = list(found)[: order.limit]
    earlier = _earlier(counts, dimensions, before, keys)
    rows = [
        Row(
            [value_of(part) for part in key],
            found[key],
            earlier.get(key, Metrics()) if before else None,
        )
        for key in keys
    ]
    return Ranking(rows, len(found) > order.limit)


def _earlier(
    counts: Counts,
    dimensions: tuple[Dimension, ...],
    before: SessionFilter | None,
    keys: list[Key],
) -> dict[Key, Metrics]:
    if before is None or not keys:
        return {}
    return counts.measured(before, Grouping(dimensions), chosen=keys)
