"""A history of past days in a test, and the dashboard in front of it. No Kafka and no job."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from contracts import Attribution, EnrichedEvent, Geo, SessionUpdate
from infra.dashboard import ensure_dashboard
from infra.node import ensure_node
from infra.paths import Places
from infra.steps import Steps
from tests.support.history import a_slice
from tests.support.messages import MINUTE, a_late_event, a_session, an_event

DAY = 24 * 60 * MINUTE


class Past(NamedTuple):
    """A session and its events."""

    session: SessionUpdate
    events: list[EnrichedEvent]


def a_past(session_id: str, start: int, paths: Sequence[str] = ("/",), **fields: Any) -> Past:
    """A final session that viewed these pages, two minutes apart."""
    visitor = fields.setdefault("visitor_id", f"visitor-of-{session_id}")
    country = fields.pop("country", "DE")
    events = [
        an_event(
            f"{session_id}-{number}",
            visitor_id=visitor,
            event_time=start + number * 2 * MINUTE,
            sequence=number,
            path=path,
        )
        for number, path in enumerate(paths)
    ]
    plain = {
        "status": "final",
        "start": start,
        "end": events[-1].event_time,
        "events": len(events),
        "pages": len(events),
        "entry_page": paths[0],
        "exit_page": paths[-1],
        "geo": Geo(country=country, city=None) if country else None,
        "attribution": Attribution(channel="direct"),
    }
    return Past(a_session(session_id, **(plain | fields)), events)


def keep_past(engine: Engine, pasts: Sequence[Past], too_late: Sequence[EnrichedEvent]) -> None:
    """Add them to the history, and events that came twenty minutes too late for it."""
    late = [
        a_late_event(
            event.event_id,
            path=event.path,
            visitor_id=event.visitor_id,
            event_time=event.event_time,
        )
        for event in too_late
    ]
    HistoryWriter(engine).take(
        [
            a_slice("sessions", [past.session for past in pasts]),
            a_slice("events", [event for past in pasts for event in past.events]),
            a_slice("late-events", late),
        ]
    )


def built_dashboard() -> Path:
    """The folder of the built dashboard, built if its sources changed."""
    places = Places()
    with Steps() as steps:
        return ensure_dashboard(places, ensure_node(places, steps))
