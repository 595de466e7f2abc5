"""Metrics of groups of sessions, from columns. Pure, and to the unit what SQL finds."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np

from api.history.blocks.columns import BOUNCED, ENDED, Array
from api.history.blocks.reading import Sessions
from api.history.stats.answers import Metrics
from api.history.stats.metrics import Sums, metrics_of
from api.history.stats.quantiles import TENTHS, Distribution, ranks

_RADIX = 1 << 16
"""So few groups are sorted by NumPy without comparing them."""

_TABLE = 1 << 22
"""Of so many possible groups those that there are are found by a table."""


class Groups:
    """Sessions by group. ``numbers`` are their groups', from 0 to ``count`` - 1."""

    def __init__(self, sessions: Sessions, numbers: Array, count: int) -> None:
        self._columns = sessions.columns
        self.sizes: Array = np.bincount(numbers, minlength=count)
        self._ends = np.cumsum(self.sizes)
        self._starts = self._ends - self.sizes
        # Numbers in order need no sorting: buckets, and one group of all.
        is_sorted = count == 1 or bool(np.all(numbers[1:] >= numbers[:-1]))
        self._order = None if is_sorted else _order(numbers, count)

    def count(self, by: str) -> Array:
        """Each group's number of ``visitors``, ``sessions``, ``views`` or ``events``."""
        whole: dict[str, Callable[[], Array]] = {
            "visitors": lambda: self._visitors,
            "sessions": lambda: self.sizes,
            "views": lambda: self._sums["views"],
            "events": lambda: self._sums["events"],
        }
        return whole[by]()

    def metrics(self, group: int) -> Metrics:
        """One group's."""
        sums = {name: int(array[group]) for name, array in self._sums.items()}
        return metrics_of(
            Sums(
                visitors=int(self._visitors[group]),
                sessions=int(self.sizes[group]),
                **sums,
            ),
            self._durations(group),
        )

    @cached_property
    def _visitors(self) -> Array:
        visitors = self._ordered(self._columns["visitor"])
        if self._order is None:
            visitors = visitors.copy()
        found = np.zeros(len(self.sizes), np.int64)
        for group, start, end in self._filled():
            mine = visitors[start:end]
            mine.sort()
            found[group] = 1 + np.count_nonzero(mine[1:] != mine[:-1])
        return found

    @cached_property
    def _sums(self) -> dict[str, Array]:
        flags = self._columns["flags"]
        return {
            "ended": self._sum((flags & ENDED) != 0),
            "bounced": self._sum((flags & BOUNCED) != 0),
            "views": self._sum(self._columns["pages"]),
            "events": self._sum(self._columns["events"]),
            "duration": self._sum(self._columns["duration"]),
        }

    @cached_property
    def _ordered_durations(self) -> Array:
        return self._ordered(self._columns["duration"])

    def _durations(self, group: int) -> Distribution:
        size = int(self.sizes[group])
        if not size:
            return Distribution(0, {})
        wanted = sorted({rank for tenths in TENTHS for rank in ranks(size, tenths)[:2]})
        mine = self._ordered_durations[self._starts[group] : self._ends[group]]
        parted = np.partition(mine, [rank - 1 for rank in wanted])
        return Distribution(size, {rank: int(parted[rank - 1]) for rank in wanted})

    def _filled(self) -> Iterator[tuple[int, int, int]]:
        for group in np.flatnonzero(self.sizes):
            yield int(group), int(self._starts[group]), int(self._ends[group])

    def _ordered(self, column: Array) -> Array:
        return column if self._order is None else column[self._order]

    def _sum(self, column: Array) -> Array:
        found = np.zeros(len(self.sizes), np.int64)
        filled = np.flatnonzero(self.sizes)
        if len(filled):
            # Whole numbers all the way, as floating-point ones end at 2^53.
            ordered = self._ordered(column)
            found[filled] = np.add.reduceat(ordered, self._starts[filled], dtype=np.int64)
        return found


def _order(numbers: Array, count: int) -> Array:
    narrow = numbers.astype(np.uint16) if count <= _RADIX else numbers
    return np.argsort(narrow, kind="stable")


def combined(parts: Sequence[tuple[Array, int]]) -> tuple[Array, Array]:
    """Groups of several properties' numbers, each with how many there may be.

    A number for each session among the groups that there are, and these groups' numbers, in
    which the last property counts fastest.
    """
    numbers, most = np.zeros(len(parts[0][0]), np.int64), 1
    for array, count in parts:
        numbers = numbers * count + array
        most *= count
    if most > _TABLE:
        found, inverse = np.unique(numbers, return_inverse=True)
        return inverse, found
    found = np.flatnonzero(np.bincount(numbers, minlength=most))
    places = np.zeros(most, np.int32)
    places[found] = np.arange(len(found))
    return places[numbers], found
