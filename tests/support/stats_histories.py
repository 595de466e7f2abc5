"""Random small histories: some visitors on two sites, with a few sessions of a few events each."""

from typing import Any, NamedTuple

from hypothesis import strategies as st
from sqlalchemy import Engine, delete

from api.history.models import EventRow, SessionRow
from api.history.writer import HistoryWriter
from contracts import Agent, Attribution, EnrichedEvent, Geo
from tests.support.history import a_slice
from tests.support.messages import a_session, an_event
from tests.support.stats_oracle import Visit

HOUR = 3_600_000
BEGIN = 1_774_548_000_000
"""2026-03-26 18:00 UTC: three days before Berlin's clocks go forward, and five before April."""

PATHS = ("/", "/cart", "/shop/a", "/shop/b")


class _Draft(NamedTuple):
    """A session to be: so many hours after the visitor's one before."""

    pause: int
    steps: list[tuple[int, str, str]]
    status: str
    country: str | None
    device: str
    is_bot: bool
    source: str | None


_STEP = st.tuples(
    st.sampled_from((0, 1, 1000, 60_000)), st.sampled_from(PATHS), st.sampled_from(("page", "api"))
)
_DRAFT = st.builds(
    _Draft,
    st.integers(1, 60),
    st.lists(_STEP, min_size=1, max_size=6),
    st.sampled_from(("open", "closed", "final", "final", "merged")),
    st.sampled_from(("DE", "FR", None)),
    st.sampled_from(("desktop", "mobile")),
    st.sampled_from((False, False, False, True)),
    st.sampled_from(("news", None)),
)
_VISITOR = st.tuples(st.sampled_from(("shop", "blog")), st.lists(_DRAFT, max_size=4))


@st.composite
def histories(draw: Any) -> list[Visit]:
    """Visits that do not overlap for one visitor."""
    visits = []
    for number, (site, drafts) in enumerate(draw(st.lists(_VISITOR, max_size=5))):
        time = BEGIN
        for turn, one in enumerate(drafts):
            time += one.pause * HOUR
            visit = _visit(f"{site}-{number}-{turn}", site, f"v{number}", time, one)
            visits.append(visit)
            time = visit.session.end
    return visits


def _visit(session_id: str, site: str, visitor: str, start: int, draft: _Draft) -> Visit:
    agent = Agent(device=draft.device, is_bot=draft.is_bot)
    events: list[EnrichedEvent] = []
    time = start
    for number, (wait, path, kind) in enumerate(draft.steps):
        time += wait if number else 0
        fields: dict[str, Any] = {"site_id": site, "visitor_id": visitor, "event_time": time}
        fields |= {"path": path, "kind": kind, "sequence": number, "agent": agent}
        events.append(an_event(f"{session_id}-{number}", **fields))
    pages = sum(event.kind == "page" for event in events)
    session = a_session(
        session_id,
        site_id=site,
        visitor_id=visitor,
        status=draft.status,
        start=start,
        end=time,
        events=len(events),
        pages=pages,
        api_calls=len(events) - pages,
        entry_page=events[0].path,
        exit_page=events[-1].path,
        geo=Geo(country=draft.country) if draft.country else None,
        agent=agent,
        attribution=Attribution(utm_source=draft.source),
    )
    return Visit(session, events)


def keep(engine: Engine, visits: list[Visit]) -> None:
    """Make them the whole history."""
    with engine.begin() as connection:
        for table in (SessionRow, EventRow):
            connection.execute(delete(table))
    if not visits:
        return
    events = [event for visit in visits for event in visit.events]
    HistoryWriter(engine).take(
        [a_slice("sessions", [visit.session for visit in visits]), a_slice("events", events)]
    )
