"""A session as the job publishes it."""

from typing import Literal

from contracts.base import Message
from contracts.events import Agent, Attribution, Geo

SessionStatus = Literal["open", "closed", "final", "merged"]


class SessionUpdate(Message, frozen=True, kw_only=True):
    """The latest state of one session. Consumers keep the highest (epoch, revision).

    ``session_id`` is a function of site, visitor and first event. ``start`` and ``end`` are the
    first and last event_time, ``last_seen`` the latest moment at which one of the session's
    responses ended, ``expires`` the event_time after which silence closes it; all ms since 1970
    UTC. ``other_visitor_ids``: further ids that the visitor had during the session, after
    ``visitor_id``, its first. ``duration_ms`` is end minus start. Place, device, referrer and
    attribution are those of the first event. ``merged_into`` is set when ``status`` is
    ``merged``: that session took this one in. ``flags`` may hold ``clock_clamped``,
    ``cut_length``, ``cut_count``, ``thinned``, and ``from_file`` when a backfill took the session
    from a file, not from Kafka. ``broker_time`` is when Kafka appended the newest event in it.
    ``events`` counts all kinds: page views, API calls, custom events and reports of reading time;
    ``engaged_ms`` is the sum of the latter. Jobs of before tell neither ``custom_events`` nor
    ``engaged_ms``.
    """

    session_id: str
    site_id: str
    visitor_id: str
    other_visitor_ids: list[str] = []
    epoch: int
    revision: int
    status: SessionStatus
    merged_into: str | None
    start: int
    end: int
    last_seen: int
    expires: int
    duration_ms: int
    events: int
    pages: int
    api_calls: int
    errors: int
    entry_page: str
    exit_page: str
    referrer: str | None
    geo: Geo | None
    agent: Agent
    attribution: Attribution
    flags: list[str]
    broker_time: int
    processed_time: int
    custom_events: int = 0
    engaged_ms: int = 0
