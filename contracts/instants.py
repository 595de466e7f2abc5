"""Points in time as a person writes them, in a URL or on a command line."""

import re
from datetime import UTC, datetime

from contracts.base import ContractError

LIMIT_MS = 2**53
"""The largest distance from 1970 that JSON numbers hold exactly."""

EARLIEST, LATEST = "earliest", "latest"
START_FORM = "write earliest, latest, or a time such as 2026-03-01T12:00:00Z"

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def parse_instant(text: str) -> int:
    """``2026-03-01T12:00:00Z`` or ``1772366400000`` → ms since 1970 UTC. ValueError otherwise.

    A blank in place of ``+`` is accepted, because that is what an unescaped ``+`` becomes.
    """
    if re.fullmatch(r"-?[0-9]{1,16}", text) and abs(int(text)) <= LIMIT_MS:
        return int(text)
    repaired = re.sub(r" (?=\d\d:\d\d$)", "+", text) if text.count(":") > 2 else text
    if _RFC_3339.fullmatch(repaired):
        moment = datetime.fromisoformat(repaired.upper())
        return int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)
    raise ValueError(
        "must be an RFC 3339 time such as 2026-03-01T12:00:00Z, or ms since 1970 such as "
        "1772366400000"
    )


def format_instant(instant_ms: int) -> str:
    """ms since 1970 UTC → ``2026-03-01 12:00:00 UTC``, for messages to people."""
    return f"{datetime.fromtimestamp(instant_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def start_instant(start: str) -> int | None:
    """The time in ms that ``start`` names; None for earliest and latest.

    Raises ContractError saying the accepted form.
    """
    if start in (EARLIEST, LATEST):
        return None
    try:
        return parse_instant(start)
    except ValueError:
        raise ContractError(f"{start!r} is no place to start at: {START_FORM}") from None
