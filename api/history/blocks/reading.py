"""The columns of a range's sessions: from memory, from blocks, and from sessions without blocks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from api.calendar import Range
from api.history.blocks.building import rows_of
from api.history.blocks.columns import HOUR_MS, Array, Name, columns_of, decoded
from api.history.blocks.memory import Dictionary, Memory, Version
from api.history.models import BlockRow, SessionRow, StaleHourRow

MOST_STALE = 24
"""Hours without blocks. With more of them, counting by the database is faster."""

MOST_SESSIONS = 20_000_000
"""With more, arrays would take more memory than a process should."""

_FEW = 100
"""So many hours are asked for one by one, not as a range."""

Parts = dict[int, dict[Name, Array]]


class Sessions(NamedTuple):
    """Columns of sessions in the order of their starts, and the texts that numbers stand for."""

    columns: Mapping[Name, Array]
    dictionary: Dictionary

    def within(self, start: int, end: int) -> "Sessions":
        """Those that started in that part of the range (ms)."""
        starts = self.columns["start"]
        first, after = np.searchsorted(starts, [start, end])
        return Sessions(
            {name: array[first:after] for name, array in self.columns.items()}, self.dictionary
        )

    def where(self, is_wanted: Array) -> "Sessions":
        """Those for which it is true."""
        return Sessions(
            {name: array[is_wanted] for name, array in self.columns.items()}, self.dictionary
        )

    def __len__(self) -> int:
        return len(self.columns["start"])


def sessions_of(
    connection: Connection, memory: Memory, instants: Range, names: Sequence[Name]
) -> Sessions | None:
    """The columns, ``start`` besides, of all sessions but merged ones that started in the range.

    None if too much of it has no blocks, or it is too much.
    """
    hours = Range(max(0, instants.start // HOUR_MS), -(-instants.end // HOUR_MS))
    if instants.start < HOUR_MS:
        return None
    stale = _stale(connection, hours)
    built = _built(connection, hours)
    if len(stale) > MOST_STALE or sum(built.values()) > MOST_SESSIONS:
        return None
    wanted = list(dict.fromkeys(["start", *names]))
    dictionary = memory.begin()
    versions = [version for version in built if version.hour not in stale]
    parts = _from_blocks(connection, memory, versions, wanted, dictionary)
    for hour in stale:
        columns = columns_of(rows_of(connection, hour, hour + 1, wanted), wanted, hour)
        parts[hour] = {
            name: memory.numbered(name, column, dictionary) for name, column in columns.items()
        }
    joined = {name: _joined(parts, name) for name in wanted}
    return Sessions(joined, dictionary).within(*instants)


def first_start(connection: Connection) -> int | None:
    """When the first session of all started."""
    return connection.execute(select(func.min(SessionRow.start))).scalar_one()


def _stale(connection: Connection, hours: Range) -> list[int]:
    hour = StaleHourRow.hour
    found = select(hour).where(hour >= hours.start, hour < hours.end).distinct().order_by(hour)
    return list(connection.execute(found.limit(MOST_STALE + 1)).scalars())


def _built(connection: Connection, hours: Range) -> dict[Version, int]:
    row = BlockRow
    query = select(row.hour, row.built, row.sessions).where(
        row.name == "start", row.hour >= hours.start, row.hour < hours.end
    )
    return {Version(hour, built): sessions for hour, built, sessions in connection.execute(query)}


def _from_blocks(
    connection: Connection,
    memory: Memory,
    versions: Sequence[Version],
    names: Sequence[Name],
    dictionary: Dictionary,
) -> Parts:
    parts: Parts = {version.hour: {} for version in versions}
    for name in names:
        held = memory.held(versions, name, dictionary)
        for version, array in held.items():
            parts[version.hour][name] = array
        for version, data in _data(connection, name, [one for one in versions if one not in held]):
            parts[version.hour][name] = memory.keep(version, name, decoded(data), dictionary)
    return parts


def _data(
    connection: Connection, name: Name, versions: Sequence[Version]
) -> Iterator[tuple[Version, bytes]]:
    if not versions:
        return
    row, wanted = BlockRow, {version.hour: version for version in versions}
    query = select(row.hour, row.data).where(row.name == name)
    if len(wanted) <= _FEW:
        query = query.where(row.hour.in_(wanted))
    else:
        query = query.where(row.hour.between(min(wanted), max(wanted)))
    for hour, data in connection.execute(query):
        if hour in wanted:
            yield wanted[hour], data


def _joined(parts: Parts, name: Name) -> Array:
    hours = sorted(parts)
    if not hours:
        return np.empty(0, np.uint64 if name == "visitor" else np.int64)
    if name != "start":
        return np.concatenate([parts[hour][name] for hour in hours])
    sizes = [len(parts[hour]["start"]) for hour in hours]
    found = np.concatenate([parts[hour]["start"] for hour in hours]).astype(np.int64)
    found += np.repeat(np.array(hours, np.int64) * HOUR_MS, sizes)
    return found
