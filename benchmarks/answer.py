"""What is known of a workload before any engine has seen it.

Sessions come from numpy: sort by visitor and time, cut where the pause exceeds the gap. None of
the product's session code is used for it.
"""

from collections.abc import Callable, Iterable, Iterator

import msgspec
import numpy as np

from benchmarks.engines.shared.country import open_countries
from benchmarks.engines.shared.task import checksum
from benchmarks.stack import geo_files
from contracts import RequestEvent

GAP_MS = 30 * 60_000

Make = Callable[[int], RequestEvent]
"""An event by its number in event-time order."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What every correct engine must find.

    ``checksum`` is over visitor, number of events, entry and exit page of each session, whatever
    the order of sessions; ``geo_checksum`` over the country of its first event, too.
    """

    events: int
    sessions: int
    checksum: int
    geo_checksum: int


def answer(visitors: np.ndarray, times: np.ndarray, make: Make) -> Answer:
    """Of events in event-time order; those of one visitor and time are in their ids' order."""
    found = list(_sessions(visitors, times, make))
    return Answer(
        events=len(times),
        sessions=len(found),
        checksum=checksum((*session, "") for *session, _ in found),
        geo_checksum=checksum(found),
    )


def cut(visitors: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
    """The numbers of each session's events, in order of time; ties stay in the given order."""
    order = np.lexsort((times, visitors))
    who, when = visitors[order], times[order]
    begins = (np.diff(who) != 0) | (np.diff(when) > GAP_MS)
    return np.split(order, np.nonzero(begins)[0] + 1)


def page(events: Iterable[RequestEvent]) -> str:
    """The path of the first that is a page, or of the first when none is."""
    paths = []
    for event in events:
        if event.kind == "page":
            return event.path
        paths.append(event.path)
    return paths[0]


def _sessions(
    visitors: np.ndarray, times: np.ndarray, make: Make
) -> Iterator[tuple[str, int, str, str, str]]:
    country = open_countries(geo_files())
    for numbers in cut(visitors, times):
        first = make(numbers[0])
        entry, exit_ = page(map(make, numbers)), page(map(make, numbers[::-1]))
        yield first.visitor_id, len(numbers), entry, exit_, country(first.client_ip)
