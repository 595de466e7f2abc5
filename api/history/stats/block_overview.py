"""The numbers of an overview that sessions tell, from blocks."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import Connection

from api.calendar import Day, Range
from api.history.blocks.columns import BOUNCED, ENDED, Array, Name, TextName
from api.history.blocks.memory import Memory
from api.history.blocks.reading import Sessions, sessions_of
from api.history.filters import SessionFilter
from api.history.overview import GROUP_LIMIT, Frequent, Overview, Totals, bots_of
from api.history.stats.block_filters import filtered, is_in_blocks, names_for
from api.history.stats.quantiles import Distribution, ranks

_GROUPED: dict[str, TextName] = {
    "country": "country",
    "channel": "channel",
    "browser": "browser",
    "device": "device",
    "entry_page": "entry",
}
_SUMMED: tuple[Name, ...] = ("events", "pages", "api_calls", "custom_events", "engaged_ms")
_MEDIAN = 5


def overview_of_blocks(
    connection: Connection, memory: Memory, wanted: SessionFilter, days: Sequence[Day]
) -> Overview | None:
    """The numbers of the wanted sessions. None if blocks do not hold them."""
    start, end = wanted.start_from, wanted.start_to
    if start is None or end is None or not is_in_blocks(wanted):
        return None
    bots = bots_of(wanted)
    names = ("flags", "duration", *_SUMMED, *_GROUPED.values())
    every = sessions_of(
        connection, memory, Range(start, end), (*names, *names_for(wanted), *names_for(bots))
    )
    if every is None:
        return None
    sessions = filtered(every, wanted)
    return Overview(
        totals=_totals(sessions),
        median=_median(sessions.columns["duration"]),
        bots=len(filtered(every, bots)),
        groups={name: _frequent(sessions, text) for name, text in _GROUPED.items()},
        days=_of_days(sessions, days),
    )


def _totals(sessions: Sessions) -> Totals:
    flags = sessions.columns["flags"]
    return Totals(
        sessions=len(sessions),
        ended=int(np.count_nonzero(flags & ENDED)),
        bounced=int(np.count_nonzero(flags & BOUNCED)),
        duration=_sum(sessions, "duration"),
        **{name: _sum(sessions, name) for name in _SUMMED},
    )


def _sum(sessions: Sessions, name: Name) -> int:
    return int(sessions.columns[name].sum(dtype=np.int64))


def _median(durations: Array) -> int | None:
    if not len(durations):
        return None
    places = [rank - 1 for rank in ranks(len(durations), _MEDIAN)[:2]]
    parted = np.partition(durations, places)
    values = {place + 1: int(parted[place]) for place in places}
    return Distribution(len(durations), values).quantile(_MEDIAN)


def _frequent(sessions: Sessions, name: TextName) -> Frequent:
    counts = np.bincount(sessions.columns[name])
    values = sessions.dictionary[name].values
    found = [(values[number], int(counts[number])) for number in np.flatnonzero(counts)]
    ranked = sorted(found, key=lambda one: (-one[1], one[0] is None, one[0] or ""))
    return ranked[:GROUP_LIMIT]


def _of_days(sessions: Sessions, days: Sequence[Day]) -> dict[int, tuple[int, ...]]:
    """Of those with sessions: sessions, events, pages."""
    parts = {number: sessions.within(*day.range) for number, day in enumerate(days)}
    return {
        number: (len(part), _sum(part, "events"), _sum(part, "pages"))
        for number, part in parts.items()
        if len(part)
    }
