"""Who came first when, and when again, from columns. Pure."""

from collections.abc import Sequence

import numpy as np

from api.history.blocks.columns import Array
from api.history.blocks.reading import Sessions
from api.history.stats.buckets import Bucket
from api.history.stats.returning import Grid


def returns_of(sessions: Sessions, before: Sessions, buckets: Sequence[Bucket]) -> Grid:
    """The visitors of the buckets, but those who came before."""
    came = [_visitors(sessions.within(*bucket.range)) for bucket in buckets]
    visitors = np.concatenate(came)
    if not len(visitors):
        return {}
    numbers = np.repeat(np.arange(len(came)), [len(some) for some in came])
    order = np.argsort(visitors)
    visitors, numbers = visitors[order], numbers[order]
    begins = np.flatnonzero(_is_other(visitors))
    is_new = ~_is_in(visitors[begins], np.sort(before.columns["visitor"]))
    sizes = np.diff([*begins, len(visitors)])
    first = np.repeat(np.minimum.reduceat(numbers, begins), sizes)
    pairs = (first * len(came) + numbers)[np.repeat(is_new, sizes)]
    counted = np.bincount(pairs)
    return {
        (int(pair) // len(came), int(pair) % len(came)): int(counted[pair])
        for pair in np.flatnonzero(counted)
    }


def _visitors(sessions: Sessions) -> Array:
    """Each visitor once, in order."""
    visitors = np.sort(sessions.columns["visitor"])
    found: Array = visitors[_is_other(visitors)]
    return found


def _is_other(ordered: Array) -> Array:
    """Whether each is another than the one before."""
    found = np.ones(len(ordered), bool)
    found[1:] = ordered[1:] != ordered[:-1]
    return found


def _is_in(some: Array, others: Array) -> Array:
    """Whether each of some is among the others, both in order."""
    if not len(others):
        return np.zeros(len(some), bool)
    places = np.searchsorted(others, some)
    places[places == len(others)] = 0
    found: Array = others[places] == some
    return found
