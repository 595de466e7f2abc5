"""Quantiles that are the same on SQLite and PostgreSQL: two ranks by SQL, the rest here.

SQLite has no percentile function. So SQL counts equal values, numbers them by a running sum, and
hands over only the values at the ranks that a quantile lies between. Durations repeat (every
session of one event has 0), so there is less to sort than a percentile function would sort.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, cast, func, or_, select

Key = tuple[Any, ...]

TENTHS = (5, 9)
"""The quantiles there are, in tenths: the median and p90. Ranks stay exact at any count."""


class Ranks(NamedTuple):
    """Between which values of n in order (from 1) a quantile lies, and how far (in tenths)."""

    below: int
    above: int
    part: int


class Distribution(NamedTuple):
    """How many values there are (``size``), and those at the ranks that quantiles need."""

    size: int
    values: dict[int, int]

    def quantile(self, tenths: int) -> int | None:
        """The quantile, rounded. None of no values.

        Between two values it is interpolated, as PostgreSQL's percentile_cont, NumPy and
        spreadsheets do (Hyndman and Fan's definition 7).
        """
        if self.size == 0:
            return None
        below, above, part = ranks(self.size, tenths)
        step = self.values[above] - self.values[below]
        return round(self.values[below] + step * part / 10)


NOTHING = Distribution(0, {})


def ranks(count: int, tenths: int) -> Ranks:
    """Where the quantile of ``count`` values lies, ``count`` > 0."""
    below, part = divmod((count - 1) * tenths, 10)
    return Ranks(below + 1, below + 1 + (part > 0), part)


def distributions(
    connection: Connection, source: Select[Any], keys: Sequence[str], value: str
) -> dict[Key, Distribution]:
    """The distribution of a column of ``source`` in each group. No key or value may be null."""
    found: dict[Key, Distribution] = {}
    for *key, one, upto, equal, total in connection.execute(_at_ranks(source, keys, value)):
        group = found.setdefault(tuple(key), Distribution(total, {}))
        wanted = {rank for tenths in TENTHS for rank in ranks(total, tenths)[:2]}
        group.values.update({rank: one for rank in wanted if upto - equal < rank <= upto})
    return found


def _at_ranks(source: Select[Any], keys: Sequence[str], value: str) -> Select[Any]:
    """A row for each value at a rank, which is the ``upto - equal + 1``-th to the ``upto``-th."""
    given = source.subquery("valued").c
    by = [given[name] for name in keys]
    equal = select(*by, given[value], func.count().label("equal")).group_by(*by, given[value])
    one = equal.subquery("equals").c
    group = [one[name] for name in keys]
    numbered = select(
        *group,
        one[value],
        _whole(func.sum(one.equal).over(partition_by=group, order_by=one[value])).label("upto"),
        one.equal,
        _whole(func.sum(one.equal).over(partition_by=group)).label("total"),
    )
    row = numbered.subquery("numbered").c
    return select(*row).where(or_(*(_is_at(row, tenths) for tenths in TENTHS)))


def _is_at(row: Any, tenths: int) -> ColumnElement[bool]:
    """Whether the row's ranks have the one below the quantile, or the next. As ``ranks``."""
    below = (row.total - 1) * tenths // 10 + 1
    found: ColumnElement[bool] = (row.upto >= below) & (row.upto - row.equal <= below)
    return found


def _whole(what: Any) -> Any:
    # PostgreSQL sums bigints to numeric.
    return cast(what, BigInteger)
