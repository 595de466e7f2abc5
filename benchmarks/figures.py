"""Percentiles, medians and spreads. Pure."""

from collections.abc import Iterable, Sequence
from statistics import median


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of the ordered values lies; 0 when there is none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def middle(values: Iterable[float]) -> float:
    """The median; 0 when there is no value."""
    found = list(values)
    return float(median(found)) if found else 0.0


def spread(values: Iterable[float]) -> float:
    """Largest minus smallest, in parts of the median; 0 when that says nothing."""
    found = list(values)
    centre = middle(found)
    return (max(found) - min(found)) / centre if centre else 0.0
