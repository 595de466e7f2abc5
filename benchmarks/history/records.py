"""Made-up sessions and their events, as the job publishes them. The same every time. Pure.

Sessions come in the order of their starts, as they do in life, while ids are spread evenly, as
hashes are: a database finds the one in order and the other not.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from api.feed import Slice
from api.progress import Place
from contracts import Agent, Attribution, EnrichedEvent, Geo, SessionUpdate
from contracts.sessions import SessionStatus

GAP_MS = 30 * 60_000
STEP_MS = 20_000
"""From one event of a session to the next."""

EVENTS = (1, 1, 1, 2, 2, 3, 4, 2)
"""Events of a session, in turn: two at the mean, and three of eight bounce."""

LIFE: tuple[SessionStatus, ...] = ("open", "open", "closed", "final")
"""What a session's updates say, one after the other."""

COUNTRIES = ("DE", "DE", "US", "FR", "US", "GB", "DE", "NL", None, "JP", "US", "BR", "PL", "DE")
BROWSERS = ("Chrome", "Safari", "Firefox", "Chrome", "Edge")
DEVICES = ("desktop", "mobile", "mobile", "tablet")
CHANNELS = ("direct", "search", "search", "social", "referral")
PAGES = 400
BOT_EVERY = 20
SITE = "bench"

_encode = msgspec.json.Encoder().encode


class Record(NamedTuple):
    """What a feed's reader uses of a consumed record."""

    topic: str
    partition: int
    offset: int
    value: bytes


def session_id(number: int) -> str:
    """32 hexadecimal digits."""
    return blake2b(b"session %d" % number, digest_size=16).hexdigest()


def visitor_id(number: int) -> str:
    """Every other session is of a visitor that was there before."""
    return blake2b(b"visitor %d" % (number // 2), digest_size=16).hexdigest()


def is_open(start: int, now: int) -> bool:
    """Whether silence has not ended a session that started then."""
    return start + GAP_MS > now


def session(
    number: int, start: int, status: SessionStatus, revision: int, factor: int = 1
) -> SessionUpdate:
    """The session's ``revision``-th update. The first one knows its first event only.

    With a ``factor``, sessions of more than one event have so many times more.
    """
    events = 1 if revision == 1 else _count(number, factor)
    end = start + (events - 1) * STEP_MS
    return SessionUpdate(
        session_id=session_id(number),
        site_id=SITE,
        visitor_id=visitor_id(number),
        epoch=1,
        revision=revision,
        status=status,
        merged_into=None,
        start=start,
        end=end,
        last_seen=end + 40,
        expires=end + GAP_MS,
        duration_ms=end - start,
        events=events,
        pages=events,
        api_calls=0,
        errors=0,
        entry_page=f"/products/{number * 7919 % PAGES}",
        exit_page=f"/products/{(number + events) * 7919 % PAGES}",
        referrer="https://search.example/",
        geo=_geo(number),
        agent=_agent(number),
        attribution=_attribution(number),
        flags=[],
        broker_time=end + 50,
        processed_time=end + 500,
    )


def events(number: int, start: int, factor: int = 1) -> list[EnrichedEvent]:
    """The session's events."""
    return [_event(number, start, step) for step in range(_count(number, factor))]


def _count(number: int, factor: int) -> int:
    events = EVENTS[number % len(EVENTS)]
    return events * factor if events > 1 else events


def _event(number: int, start: int, step: int) -> EnrichedEvent:
    time = start + step * STEP_MS
    return EnrichedEvent(
        event_id=blake2b(b"event %d %d" % (number, step), digest_size=16).hexdigest(),
        site_id=SITE,
        visitor_id=visitor_id(number),
        event_time=time,
        sequence=0,
        broker_time=time + 50,
        processed_time=time + 500,
        kind="page",
        method="GET",
        status=200,
        duration_ms=12.5,
        host="shop.example",
        path=f"/products/{(number + step) * 7919 % PAGES}",
        query={},
        referrer="https://search.example/",
        user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
        network="81.2.69.0/24",
        geo=_geo(number),
        geo_reason=None,
        agent=_agent(number),
        attribution=_attribution(number),
        headers={"accept-language": "en-GB,en;q=0.9"},
        dnt=False,
        gpc=False,
        flags=[],
        topic="clickwake.requests",
        partition=0,
        offset=number * len(EVENTS) + step,
    )


def _geo(number: int) -> Geo | None:
    country = COUNTRIES[number % len(COUNTRIES)]
    return (
        Geo(country=country, city="Somewhere", latitude=52.5, longitude=13.4) if country else None
    )


def _agent(number: int) -> Agent:
    return Agent(
        browser=BROWSERS[number % len(BROWSERS)],
        browser_version="125",
        os="Linux",
        device=DEVICES[number % len(DEVICES)],
        is_bot=number % BOT_EVERY == 0,
    )


def _attribution(number: int) -> Attribution:
    return Attribution(domain="search.example", channel=CHANNELS[number % len(CHANNELS)])


def slices(
    updates: Sequence[SessionUpdate], made: Sequence[EnrichedEvent], offset: int
) -> list[Slice]:
    """What a feed would hand to the writer for them, from that offset of either topic on."""
    both = {"events": made, "sessions": updates}
    return [_slice(role, messages, offset) for role, messages in both.items() if messages]


def _slice(role: str, messages: Sequence[msgspec.Struct], offset: int) -> Slice:
    place = Place(f"clickwake.{role}", 0)
    records: list[Any] = [
        Record(*place, offset + number, _encode(message)) for number, message in enumerate(messages)
    ]
    return Slice(role, place, records)
