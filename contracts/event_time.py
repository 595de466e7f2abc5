"""Reading event_time: seconds, milliseconds or microseconds since 1970, or RFC 3339 text.

The accepted years, 2000 to 2099, keep the three units' ranges apart by a factor of 200,
so a number is read right or refused and never misread.
"""

import re
from datetime import UTC, datetime

from contracts.outcomes import DeadReason

EARLIEST_MS = 946_684_800_000
"""2000-01-01T00:00:00Z."""
LATEST_MS = 4_102_444_800_000
"""2100-01-01T00:00:00Z, exclusive."""

_NUMBER = re.compile(r"\d{1,20}(\.\d{1,9})?")
_TEXT = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})"
)


class EventTimeError(ValueError):
    """The event_time cannot be read. ``reason`` is the dead letter's reason code."""

    def __init__(self, reason: DeadReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def read_event_time(value: int | float | str) -> int:
    """ms since 1970 UTC; raises EventTimeError when unreadable or outside 2000 to 2099."""
    if type(value) is int and EARLIEST_MS <= value < LATEST_MS:
        return value
    if isinstance(value, str):
        return _from_text(value.strip())
    return _from_number(value)


def _from_text(text: str) -> int:
    if not text:
        raise EventTimeError("event_time_missing", "event_time is empty")
    if _NUMBER.fullmatch(text):
        return _from_number(float(text) if "." in text else int(text))
    match = _TEXT.fullmatch(text)
    if match is None:
        raise EventTimeError(
            "event_time_unreadable",
            f"event_time {text[:64]!r} is neither RFC 3339 with an offset nor a number",
        )
    return _in_range(_milliseconds(match, text), text)


def _milliseconds(match: re.Match[str], text: str) -> int:
    *_, fraction, _offset = match.groups()
    whole = text if fraction is None else text.replace(fraction, "", 1)
    try:
        moment = datetime.fromisoformat(whole.upper())
        seconds = int(moment.astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        raise EventTimeError(
            "event_time_unreadable", f"event_time {text[:64]!r} is no date that exists"
        ) from None
    return seconds * 1000 + int(((fraction or ".0")[1:] + "00")[:3])


def _from_number(value: int | float) -> int:
    for per_second in (1, 1_000, 1_000_000):
        # Not divided: an integer may be too large for a float.
        if EARLIEST_MS * per_second <= value * 1000 < LATEST_MS * per_second:
            return _scaled(value, per_second)
    raise EventTimeError(
        "event_time_out_of_range",
        f"event_time {value!r} is not within 2000 to 2099 in seconds, ms or µs since 1970",
    )


def _scaled(value: int | float, per_second: int) -> int:
    if isinstance(value, int):
        return value * 1000 // per_second
    # A float is good for microseconds; cutting it at once could lose a whole millisecond.
    return round(value * 1_000_000 / per_second) // 1000


def _in_range(moment: int, shown: str) -> int:
    if EARLIEST_MS <= moment < LATEST_MS:
        return moment
    raise EventTimeError(
        "event_time_out_of_range", f"event_time {shown[:64]!r} is not within 2000 to 2099"
    )
