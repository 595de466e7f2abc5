"""Who counts from blocks, and leaves to another what blocks do not hold."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import structs
from sqlalchemy import Connection

from api.calendar import Range
from api.history.blocks.columns import TEXTS, Array, Name, TextName
from api.history.blocks.memory import Memory
from api.history.blocks.reading import Sessions, first_start, sessions_of
from api.history.filters import WITHOUT, SessionFilter
from api.history.stats.answers import Metrics
from api.history.stats.block_filters import filtered, is_in_blocks, names_for
from api.history.stats.block_groups import Groups, combined
from api.history.stats.block_returns import returns_of
from api.history.stats.buckets import Bucket
from api.history.stats.counts import Counts, Grouping
from api.history.stats.dimensions import Dimension
from api.history.stats.metrics import Order
from api.history.stats.quantiles import Key
from api.history.stats.returning import Grid

_COUNTED: tuple[Name, ...] = ("visitor", "duration", "pages", "events", "flags")


class _Property(NamedTuple):
    """By which number of its own each session is grouped, and the key that a number stands for."""

    numbers: Array
    keys: Sequence[str | int]


class BlockCounts:
    """Counts of one question. ``dimensions`` are all that it will ask for."""

    def __init__(
        self,
        connection: Connection,
        memory: Memory,
        dimensions: Sequence[Dimension],
        otherwise: Counts,
    ) -> None:
        self._connection = connection
        self._memory = memory
        self._texts: list[TextName] = [name for name in TEXTS if name in dimensions]
        self._is_in_blocks = len(self._texts) == len(set(dimensions))
        self._otherwise = otherwise
        self._read: dict[SessionFilter, Sessions | None] = {}

    def largest(
        self, wanted: SessionFilter, dimensions: tuple[Dimension, ...], order: Order
    ) -> list[Key]:
        """See ``Counts``."""
        sessions = self._sessions(wanted)
        if sessions is None:
            return self._otherwise.largest(wanted, dimensions, order)
        groups, keys = _grouped(sessions, Grouping(dimensions))
        return [keys[group] for group in _in_order(groups, keys, order)]

    def measured(
        self,
        wanted: SessionFilter,
        by: Grouping,
        order: Order | None = None,
        chosen: Sequence[Key] | None = None,
    ) -> dict[Key, Metrics]:
        """See ``Counts``."""
        sessions = self._sessions(wanted)
        if sessions is None:
            return self._otherwise.measured(wanted, by, order, chosen)
        if chosen is not None:
            sessions = _among(sessions, by.dimensions, chosen)
        groups, keys = _grouped(sessions, by)
        if chosen is not None:
            some = set(chosen)
            return {
                key: groups.metrics(group)
                for group, key in enumerate(keys)
                if key[: len(by.dimensions)] in some
            }
        picked = _in_order(groups, keys, order) if order else range(len(keys))
        return {keys[group]: groups.metrics(group) for group in picked}

    def returns(self, wanted: SessionFilter, buckets: Sequence[Bucket]) -> Grid:
        """See ``Counts``."""
        sessions = self._reading(wanted, ("visitor",))
        before = None
        if sessions is not None:
            before = self._reading(self._ever_before(wanted), ("visitor",))
        if sessions is None or before is None:
            return self._otherwise.returns(wanted, buckets)
        return returns_of(sessions, before, buckets)

    def _ever_before(self, wanted: SessionFilter) -> SessionFilter:
        start = wanted.start_from or 0
        first = first_start(self._connection)
        begin = start if first is None else min(first, start)
        return structs.replace(wanted, start_from=begin, start_to=start)

    def _sessions(self, wanted: SessionFilter) -> Sessions | None:
        if wanted not in self._read:
            self._read[wanted] = self._reading(wanted, (*_COUNTED, *self._texts))
        return self._read[wanted]

    def _reading(self, wanted: SessionFilter, counted: Sequence[Name]) -> Sessions | None:
        start, end = wanted.start_from, wanted.start_to
        if not self._is_in_blocks or not is_in_blocks(wanted) or start is None or end is None:
            return None
        names = (*counted, *names_for(wanted))
        found = sessions_of(self._connection, self._memory, Range(start, end), names)
        return None if found is None else filtered(found, wanted)


def _grouped(sessions: Sessions, by: Grouping) -> tuple[Groups, list[Key]]:
    """The groups that there are, and their keys."""
    properties = [_property(sessions, name) for name in by.dimensions]
    if by.buckets:
        properties.append(_bucketed(sessions, by.buckets))
    if not properties:
        # One group of all, also of none, as in SQL.
        return Groups(sessions, np.zeros(len(sessions), np.int64), 1), [()]
    counts = [len(one.keys) for one in properties]
    numbers, found = combined(
        [(one.numbers, count) for one, count in zip(properties, counts, strict=True)]
    )
    return Groups(sessions, numbers, len(found)), _keys(properties, found)


def _keys(properties: Sequence[_Property], found: Array) -> list[Key]:
    columns: list[list[str | int]] = []
    for one in reversed(properties):
        found, numbers = np.divmod(found, max(1, len(one.keys)))
        columns.insert(0, [one.keys[number] for number in numbers])
    return list(zip(*columns, strict=True))


def _property(sessions: Sessions, dimension: Dimension) -> _Property:
    name = _text(dimension)
    values = [WITHOUT if one is None else one for one in sessions.dictionary[name].values]
    numbers = sessions.columns[name]
    keys = list(dict.fromkeys(values))
    if len(keys) < len(values):
        # Without a value, or with an empty one, is the same.
        places = {key: place for place, key in enumerate(keys)}
        numbers = np.array([places[value] for value in values], np.int32)[numbers]
    return _Property(numbers, keys)


def _bucketed(sessions: Sessions, buckets: Sequence[Bucket]) -> _Property:
    edges = [*(bucket.range.start for bucket in buckets), buckets[-1].range.end]
    sizes = np.diff(np.searchsorted(sessions.columns["start"], edges))
    return _Property(np.repeat(np.arange(len(buckets)), sizes), range(len(buckets)))


def _among(
    sessions: Sessions, dimensions: tuple[Dimension, ...], chosen: Sequence[Key]
) -> Sessions:
    """The sessions with the chosen values. Of two dimensions more may be found than chosen."""
    for place, dimension in enumerate(dimensions):
        one = _property(sessions, dimension)
        wanted = {key[place] for key in chosen}
        verdicts = np.array([key in wanted for key in one.keys], bool)
        sessions = sessions.where(np.isin(one.numbers, np.flatnonzero(verdicts)))
    return sessions


def _text(dimension: Dimension) -> TextName:
    return next(name for name in TEXTS if name == dimension)


def _in_order(groups: Groups, keys: Sequence[Key], order: Order) -> list[int]:
    counts = groups.count(order.by)
    last = order.offset + order.limit
    candidates: Sequence[int] = range(len(keys))
    if last < len(keys):
        # Only those that may be among them have to be put in order.
        least = np.partition(counts, len(keys) - last)[len(keys) - last]
        candidates = np.flatnonzero(counts >= least).tolist()
    ranked = sorted(candidates, key=lambda group: (-int(counts[group]), keys[group]))
    return ranked[order.offset : last]
