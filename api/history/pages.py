"""A page of the session list: from parameters to the answer."""

from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import Connection

from api.history.answers import SessionPage
from api.history.counting import estimated_count, exact_count
from api.history.cursor import Cursor, Sealed, seal
from api.history.facts import cursor_key, moment
from api.history.fields import picked
from api.history.listing import Item, Listing, Place, items_of
from api.history.moments import at
from api.history.parameters import ListParameters, SessionParameters
from api.problems import wrong_parameter
from contracts.instants import format_instant


class Question(NamedTuple):
    """A list, when it was first asked for, and the text that its cursors are signed for."""

    listing: Listing
    asked: int
    signed: bytes


def session_page(connection: Connection, parameters: SessionParameters, now: int) -> SessionPage:
    """The sessions that are asked for. Raises a 422 that names what cannot be asked."""
    sealed = parameters.cursor
    question = question_of(connection, parameters, now, sealed.cursor if sealed else None)
    key = cursor_key(connection)
    after = _place(sealed, key, question) if sealed else None
    listing, limit = question.listing, parameters.limit
    items = items_of(connection, listing, limit + 1, after)
    return SessionPage(
        items=cast("Any", [_shown(item, parameters) for item in items[:limit]]),
        next_cursor=_next(items[limit - 1], key, question) if len(items) > limit else None,
        as_of=listing.as_of,
        count=_COUNTS[parameters.count](connection, listing) if parameters.count else None,
    )


_COUNTS = {"exact": exact_count, "estimated": estimated_count}


def question_of(
    connection: Connection, parameters: ListParameters, now: int, first: Cursor | None = None
) -> Question:
    """What is asked for: on later pages, today and now are what they were on the first."""
    asked = first.asked if first else now
    as_of = first.as_of if first else None
    if parameters.as_of is not None:
        as_of = settled(connection, at(parameters.as_of, now) if as_of is None else as_of, now)
    listing = Listing(
        wanted=parameters.filter_of(parameters.bounds(asked)), sort=parameters.order, as_of=as_of
    )
    signed = msgspec.json.encode((listing, parameters.as_of), order="deterministic")
    return Question(listing, asked, signed)


def settled(connection: Connection, wanted: int, now: int) -> int:
    """The moment at which the history knew what it knew at ``wanted``, and that will stay so.

    A batch that is just being stored may be recorded under any moment since the last one; so the
    last one is as far as can be told. Raises a 422 for a moment that is not kept, or to come.
    """
    since = moment(connection, "revisions_from")
    if wanted > now:
        raise wrong_parameter("as_of", "must not be in the future")
    if wanted < since:
        raise wrong_parameter(
            "as_of",
            f"must be {format_instant(since)} ({since}) or later: what the history knew before "
            "that is not kept; CLICKWAKE_API_REVISIONS_KEEP says for how long it is",
        )
    return min(wanted, moment(connection, "known_at"))


def _place(sealed: Sealed, key: bytes, question: Question) -> Place:
    try:
        cursor = sealed.require(key, question.signed)
    except ValueError as error:
        raise wrong_parameter("cursor", str(error)) from None
    return Place(cursor.value, cursor.session_id)


def _next(last: Item, key: bytes, question: Question) -> str:
    cursor = Cursor(last.value, last.session_id, question.asked, question.listing.as_of)
    return seal(cursor, key, question.signed)


def _shown(item: Item, parameters: SessionParameters) -> msgspec.Raw:
    if parameters.fields:
        return picked(item.message, parameters.fields)
    return msgspec.Raw(item.message.encode())
