"""Exports: the whole list as a stream, in bounded memory however long it is.

It is read page by page, each in a transaction of its own: nothing is held between two pages, so
a reader that is slow or gone costs the database nothing, and no SQLite writer waits. All pages
are as of one moment, so that together they are one state of the history.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlalchemy import Connection, Engine, select

from api.history.counting import estimated_count
from api.history.engine import reading
from api.history.facts import moment
from api.history.filters import SessionFilter
from api.history.formats import MEDIA_TYPES, Form, form_of
from api.history.listing import Item, Listing, Place, items_of, sources
from api.history.moments import Ago
from api.history.pages import question_of
from api.history.parameters import ExportParameters
from api.problems import wrong_parameter

PAGE = 1_000


class ForgottenError(Exception):
    """The export took longer than past states are kept. Keep them longer
    (CLICKWAKE_API_REVISIONS_KEEP), or export less at once."""


class Export(NamedTuple):
    """An export's headers and bytes."""

    headers: Mapping[str, str]
    media_type: str
    pieces: Iterator[bytes]


def export(
    engine: Engine, parameters: ExportParameters, now: int, *, keeps_revisions: bool
) -> Export:
    """Begin an export. Raises a 422 that names what cannot be asked."""
    if parameters.as_of is None and keeps_revisions:
        parameters = parameters.model_copy(update={"as_of": Ago(0)})
    with reading(engine) as connection:
        listing = question_of(connection, parameters, now).listing
        count = estimated_count(connection, listing)
        after = _place_of(connection, listing, parameters.after) if parameters.after else None
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="sessions.{parameters.format}"',
        "Clickwake-Count": str(count.sessions),
        "Clickwake-Count-Is-Exact": "true" if count.is_exact else "false",
    }
    if listing.as_of is not None:
        headers["Clickwake-As-Of"] = str(listing.as_of)
    pages = pages_of(engine, listing, after, parameters.limit)
    form = form_of(parameters.format, parameters.fields)
    return Export(headers, MEDIA_TYPES[parameters.format], _pieces(form, pages))


def pages_of(
    engine: Engine, listing: Listing, after: Place | None, limit: int | None
) -> Iterator[list[Item]]:
    """The list's pages after a place in it, ``limit`` sessions at most."""
    left = limit
    while left is None or left > 0:
        size = PAGE if left is None else min(PAGE, left)
        with reading(engine) as connection:
            _require_kept(connection, listing)
            items = items_of(connection, listing, size, after)
        if items:
            yield items
            after = Place(items[-1].value, items[-1].session_id)
        if len(items) < size:
            return
        left = None if left is None else left - len(items)


def _require_kept(connection: Connection, listing: Listing) -> None:
    if listing.as_of is not None and listing.as_of < moment(connection, "revisions_from"):
        raise ForgottenError


def _place_of(connection: Connection, listing: Listing, session_id: str) -> Place:
    whole = Listing(wanted=SessionFilter(), sort=listing.sort, as_of=listing.as_of)
    for row, conditions in sources(whole):
        place = select(*listing.sort.keys(row)).where(row.session_id == session_id, *conditions)
        found = connection.execute(place).one_or_none()
        if found is not None:
            return Place(*found)
    raise wrong_parameter("after", "must be the session_id of a session in the export before it")


def _pieces(form: Form, pages: Iterator[list[Item]]) -> Iterator[bytes]:
    yield form.begin()
    for page in pages:
        piece = form.page(page)
        if piece:
            yield piece
    yield form.finish()
