"""The job's messages, with every field that a test does not care about filled in."""

from typing import Any

import msgspec

from contracts import (
    Agent,
    Attribution,
    BucketStats,
    DeadLetter,
    EnrichedEvent,
    Geo,
    InterceptorStats,
    JobStatus,
    LateEvent,
    SessionUpdate,
    Tally,
)

NOON = 1_772_366_400_000
"""2026-03-01 12:00:00 UTC."""

MINUTE = 60_000


def a_session(session_id: str = "s1", **fields: Any) -> SessionUpdate:
    """An open session of one page view at noon."""
    start = fields.get("start", NOON)
    end = fields.get("end", start)
    country = fields.pop("country", "DE")
    is_bot = fields.pop("is_bot", False)
    plain: dict[str, Any] = {
        "session_id": session_id,
        "site_id": "shop",
        "visitor_id": f"visitor-of-{session_id}",
        "epoch": 1,
        "revision": 1,
        "status": "open",
        "merged_into": None,
        "start": start,
        "end": end,
        "last_seen": end + 40,
        "expires": end + 30 * MINUTE,
        "duration_ms": end - start,
        "events": 1,
        "pages": 1,
        "api_calls": 0,
        "errors": 0,
        "entry_page": "/",
        "exit_page": "/",
        "referrer": None,
        "geo": Geo(country=country) if country else None,
        "agent": Agent(browser="Firefox", device="desktop", is_bot=is_bot),
        "attribution": Attribution(channel="direct"),
        "flags": [],
        "broker_time": end + 50,
        "processed_time": end + 500,
    }
    return SessionUpdate(**(plain | fields))


def an_event(event_id: str = "e1", **fields: Any) -> EnrichedEvent:
    """A page view at noon."""
    time = fields.get("event_time", NOON)
    is_bot = fields.pop("is_bot", False)
    plain: dict[str, Any] = {
        "event_id": event_id,
        "site_id": "shop",
        "visitor_id": "visitor-of-s1",
        "event_time": time,
        "sequence": 0,
        "broker_time": time + 50,
        "processed_time": time + 500,
        "kind": "page",
        "method": "GET",
        "status": 200,
        "duration_ms": 12.5,
        "host": "shop.example",
        "path": "/",
        "query": {},
        "referrer": None,
        "user_agent": "",
        "network": "81.2.69.0/24",
        "geo": None,
        "geo_reason": "private",
        "agent": Agent(is_bot=is_bot),
        "attribution": Attribution(),
        "headers": {},
        "dnt": False,
        "gpc": False,
        "flags": [],
        "topic": "clickwake.requests",
        "partition": 0,
        "offset": 0,
    }
    return EnrichedEvent(**(plain | fields))


def a_dead_letter(offset: int = 0) -> DeadLetter:
    """A record that is no JSON."""
    return DeadLetter(
        reason="not_json",
        detail="",
        topic="clickwake.requests",
        partition=0,
        offset=offset,
        broker_time=NOON,
        processed_time=NOON + 500,
        raw="",
        raw_size=0,
    )


def a_late_event(event_id: str = "late", **fields: Any) -> LateEvent:
    """An event an hour late."""
    event = an_event(event_id, **fields)
    return LateEvent(reason="session_final", watermark=NOON, late_ms=60 * MINUTE, event=event)


def a_job_status(processed_time: int = NOON, **fields: Any) -> JobStatus:
    """A job in good health."""
    plain: dict[str, Any] = {
        "instance": "job-1",
        "epoch": 1,
        "started": NOON - MINUTE,
        "batch": 7,
        "rows": 20,
        "batch_ms": 300,
        "behind": 0,
        "geo_ok": True,
        "geo_detail": "dbip-city, 2026-03",
        "processed_time": processed_time,
    }
    return JobStatus(**(plain | fields))


def a_bucket(number: int = 0, tally: Tally | None = None, **fields: Any) -> BucketStats:
    """A bucket that has read four requests: an event, a duplicate, a late one, a dead letter."""
    plain: dict[str, Any] = {
        "topic": "clickwake.requests",
        "partition": 0,
        "bucket": number,
        "epoch": 1,
        "watermark": NOON - 10_000,
        "tally": tally or Tally(requests=4, events=1, duplicates=1, late=1, dead_letters=1),
        "visitors": 1,
        "state_bytes": 300,
        "processed_time": NOON,
    }
    return BucketStats(**(plain | fields))


def an_interceptor(instance: str = "site-1", **fields: Any) -> InterceptorStats:
    """A site's process that has sent four of seven requests."""
    plain: dict[str, Any] = {
        "instance": instance,
        "site_id": "shop",
        "started": NOON - MINUTE,
        "observed": 7,
        "sent": 4,
        "queued": 0,
        "dropped": {"image": 2},
        "lost": {"queue_full": 1},
    }
    return InterceptorStats(**(plain | fields))


def encoded(message: msgspec.Struct) -> bytes:
    """The message as it stands in its topic."""
    return msgspec.json.encode(message)
