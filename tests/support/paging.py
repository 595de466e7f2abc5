"""Pages of a list while the history goes on, whatever the database."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Engine

from api.history.answers import SessionPage
from api.history.engine import reading
from api.history.listing import Listing, items_of
from api.history.pages import session_page
from api.history.parameters import SessionParameters
from api.history.sorting import SortName, sort_of
from api.history.writer import HistoryWriter
from contracts import SessionUpdate
from tests.support.history import a_slice
from tests.support.messages import MINUTE, NOON, a_session

SORTS: tuple[SortName, ...] = (
    "-start",
    "start",
    "-end",
    "end",
    "-duration",
    "duration",
    "-events",
    "events",
)


def a_numbered_session(number: int, start: int, length: int, events: int) -> SessionUpdate:
    """One of many, some of which start, end and last alike."""
    begin = NOON + start
    return a_session(f"s{number}", start=begin, end=begin + length, events=events)


def all_pages(engine: Engine, query: dict[str, str], between: Sequence[SessionUpdate]) -> list[str]:
    """The ids of all pages, storing one of ``between`` after each."""
    writer, waiting = HistoryWriter(engine, clock=lambda: NOON), list(between)
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = a_page(engine, query | ({"cursor": cursor} if cursor else {}))
        seen += [msgspec.json.decode(item)["session_id"] for item in page.items]  # type: ignore[arg-type]
        assert len(seen) < 1_000, "pages end"
        cursor = page.next_cursor
        if waiting:
            writer.take([a_slice("sessions", [waiting.pop()])])
    return seen


def a_page(engine: Engine, query: dict[str, str]) -> SessionPage:
    """The answer to a question asked later than everything."""
    with reading(engine) as connection:
        asked = SessionParameters.model_validate(query)
        return session_page(connection, asked, NOON + 24 * 60 * MINUTE)


def whole_list(engine: Engine, sort: SortName) -> list[str]:
    """All ids in one go."""
    with reading(engine) as connection:
        found = items_of(connection, Listing(sort=sort_of(sort)), 10_000)
    return [item.session_id for item in found]
