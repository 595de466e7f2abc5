"""Moments and durations as a person writes them in a URL. Pure: now is passed in."""

import re

from msgspec import Struct

from contracts.instants import parse_instant

_UNITS_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 7 * 86_400_000,
}
_RELATIVE = re.compile(r"-([0-9]{1,6})(s|m|h|d|w)")
_DURATION = re.compile(r"([0-9]{1,12})(ms|s|m|h|d|w)?")
_LONGEST_MS = 10_000 * 365 * 86_400_000


class Ago(Struct, frozen=True):
    """So long before now, in ms."""

    ms: int


Moment = int | Ago
"""A time: ms since 1970 UTC, or relative to now."""


def parse_moment(text: str) -> Moment:
    """``-24h``, ``-7d`` and ``now``, or what ``parse_instant`` takes. ValueError otherwise.

    A day is 24 hours here; calendar days are what ``day`` and ``period`` ask for.
    """
    if text == "now":
        return Ago(0)
    if found := _RELATIVE.fullmatch(text):
        return Ago(int(found[1]) * _UNITS_MS[found[2]])
    try:
        return parse_instant(text)
    except ValueError as error:
        raise ValueError(f"{error}, or a time before now such as -24h or -7d") from None


def at(moment: Moment, now: int) -> int:
    """The moment in ms since 1970 UTC."""
    return now - moment.ms if isinstance(moment, Ago) else moment


def parse_duration(text: str) -> int:
    """``90s``, ``5m``, ``2h``, ``1d`` or ms without a unit → ms. ValueError otherwise."""
    found = _DURATION.fullmatch(text)
    length = int(found[1]) * _UNITS_MS[found[2] or "ms"] if found else None
    if length is None or length > _LONGEST_MS:
        raise ValueError("must be a duration such as 90s, 5m, 2h or 1d, or ms such as 90000")
    return length
