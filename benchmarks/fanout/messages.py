"""What is told: one session's update, which carries the moment at which it was due. Pure.

Its referrer is long, so that a frame has two kilobytes: that of three or four usual sessions.
Peers send the very bytes of Clickwake's own frame, so that all move the same.
"""

from typing import NamedTuple

import msgspec

from contracts import Agent, Attribution, Geo, SessionUpdate
from contracts.live import LiveCounts, Update

MINUTE_MS = 60_000
VISITORS = 50
"""Sessions that take turns, so that what the hub remembers stays small."""

_MARK = "/t/"
_DIGITS = 20
_MADE = b'"server_time":'
_MADE_DIGITS = 13
"""Of ms since 1970, until the year 2286."""


class Told(NamedTuple):
    """When a frame was made (ms since 1970 UTC), and when its updates were due (ns, monotonic)."""

    made_ms: int
    due_ns: list[int]


def update(number: int, due_ns: int, now_ms: int) -> SessionUpdate:
    """The ``number``-th update: a visitor's session, one event longer than before."""
    visitor = f"bench-{number % VISITORS:05}"
    start = now_ms - number // VISITORS * 1000
    return SessionUpdate(
        session_id=f"{visitor}-session",
        site_id="bench",
        visitor_id=visitor,
        epoch=1,
        # Larger than that of any run before on the same topic.
        revision=now_ms,
        status="open",
        merged_into=None,
        start=start,
        end=now_ms,
        last_seen=now_ms,
        expires=now_ms + 30 * MINUTE_MS,
        duration_ms=now_ms - start,
        events=number // VISITORS + 1,
        pages=number // VISITORS + 1,
        api_calls=0,
        errors=0,
        entry_page="/",
        exit_page=f"{_MARK}{due_ns:0{_DIGITS}}",
        referrer=f"https://search.example/?q={'kettle' * 170}",
        geo=Geo(country="DE", city="Berlin", latitude=52.52, longitude=13.4),
        agent=Agent(browser="Firefox", browser_version="125", os="Linux", device="desktop"),
        attribution=Attribution(domain="search.example", channel="search"),
        flags=[],
        broker_time=now_ms,
        processed_time=now_ms,
    )


def frame(number: int, due_ns: int, now_ms: int) -> bytes:
    """The frame that Clickwake's hub would make of that update."""
    message = Update(
        sequence=number,
        server_time=now_ms,
        sessions=[update(number, due_ns, now_ms)],
        counts=LiveCounts(open_sessions=VISITORS, open_bots=0, minutes=[]),
        newest_response=now_ms,
    )
    return msgspec.json.encode(message)


def told(payload: bytes) -> Told | None:
    """What a frame told, found without decoding it; None when it carries no update."""
    due = []
    at = payload.find(_MARK.encode())
    while at >= 0:
        begin = at + len(_MARK)
        due.append(int(payload[begin : begin + _DIGITS]))
        at = payload.find(_MARK.encode(), begin + _DIGITS)
    if not due:
        return None
    made = payload.find(_MADE) + len(_MADE)
    return Told(int(payload[made : made + _MADE_DIGITS]), due)
