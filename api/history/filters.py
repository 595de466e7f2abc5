"""Which sessions a question is about, as values and as SQL conditions."""

from typing import Literal

from msgspec import Struct
from sqlalchemy import ColumnElement

from api.choices import Choice
from api.history.choosing import is_chosen, is_none_like, is_one_like
from api.history.models import EventRow, RevisionRow, SessionRow
from api.history.names import has_event, is_of_visitor
from api.history.patterns import holds_words

Row = type[SessionRow] | type[RevisionRow]
Bots = Literal["include", "exclude", "only"]
MERGED = "merged"
UNKNOWN_COUNTRY = "unknown"
WITHOUT = ""
"""Among the values of a property: sessions that have none."""

ANY = Choice()


class SessionFilter(Struct, frozen=True, kw_only=True):
    """Sessions with start in [start_from, start_to) and the given properties; empty: any.

    ``countries`` are ISO 3166-1 alpha-2 codes, or ``unknown`` for sessions without a place; the
    empty text among the values of another property is for sessions without it. ``entry``,
    ``exit`` and ``path`` (of any event in the session; an excluded one is no event's) are
    patterns, and ``words`` stand all in one event's path (see ``api.history.patterns``).
    Durations are ms. Bounds are inclusive but for ``start_to``. What ``bounced`` means,
    ``is_bounced`` says.
    """

    start_from: int | None = None
    start_to: int | None = None
    countries: Choice = ANY
    statuses: frozenset[str] = frozenset()
    site_id: str | None = None
    bots: Bots = "include"
    visitor_id: str | None = None
    regions: Choice = ANY
    cities: Choice = ANY
    referrer_domains: Choice = ANY
    channels: Choice = ANY
    utm_sources: Choice = ANY
    utm_mediums: Choice = ANY
    utm_campaigns: Choice = ANY
    utm_terms: Choice = ANY
    utm_contents: Choice = ANY
    devices: Choice = ANY
    browsers: Choice = ANY
    systems: Choice = ANY
    entry: Choice = ANY
    exit: Choice = ANY
    path: Choice = ANY
    words: tuple[str, ...] = ()
    duration_min: int | None = None
    duration_max: int | None = None
    events_min: int | None = None
    events_max: int | None = None
    bounced: bool | None = None


CHOSEN = {
    "regions": "region",
    "cities": "city",
    "referrer_domains": "referrer_domain",
    "channels": "channel",
    "utm_sources": "utm_source",
    "utm_mediums": "utm_medium",
    "utm_campaigns": "utm_campaign",
    "utm_terms": "utm_term",
    "utm_contents": "utm_content",
    "devices": "device",
    "browsers": "browser",
    "systems": "os",
}
"""The properties of which values are chosen, and their columns."""


def session_conditions(wanted: SessionFilter, row: Row = SessionRow) -> list[ColumnElement[bool]]:
    """The WHERE clause. Merged sessions live on in the one that took them in, so never here.

    ``row`` is the table, if it is another one with a session's columns.
    """
    return [
        *_range_conditions(wanted, row),
        *_identity_conditions(wanted, row),
        *_property_conditions(wanted, row),
        *_measure_conditions(wanted, row),
        *_path_conditions(wanted, row),
    ]


def event_conditions(wanted: SessionFilter) -> list[ColumnElement[bool]]:
    """The same question put to events, as far as they carry the answer: site and bots."""
    found: list[ColumnElement[bool]] = []
    if wanted.site_id is not None:
        found.append(EventRow.site_id == wanted.site_id)
    if wanted.bots != "include":
        found.append(EventRow.is_bot.is_(wanted.bots == "only"))
    return found


def is_bounced(row: Row = SessionRow) -> ColumnElement[bool]:
    """Whether a session has ended (is not open) with one page, no API call, no custom event.

    For how long the page was read does not matter.
    """
    is_ended = row.status != "open"
    return is_ended & (row.pages == 1) & (row.api_calls == 0) & (row.custom_events == 0)


def _range_conditions(wanted: SessionFilter, row: Row) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.start_from is not None:
        found.append(row.start >= wanted.start_from)
    if wanted.start_to is not None:
        found.append(row.start < wanted.start_to)
    return found


def _identity_conditions(wanted: SessionFilter, row: Row) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.statuses:
        found.append(row.status.in_(sorted(wanted.statuses)))
    else:
        found.append(row.status != MERGED)
    if wanted.visitor_id is None and wanted.site_id is not None:
        found.append(row.site_id == wanted.site_id)
    if wanted.visitor_id is not None:
        # It knows the site, too. Said twice, SQLite would look through all of the site.
        found.append(is_of_visitor(row, wanted.visitor_id, wanted.site_id))
    if wanted.bots != "include":
        found.append(row.is_bot.is_(wanted.bots == "only"))
    return found


def _property_conditions(wanted: SessionFilter, row: Row) -> list[ColumnElement[bool]]:
    found = [
        is_chosen(getattr(row, column), choice, WITHOUT)
        for name, column in CHOSEN.items()
        if (choice := getattr(wanted, name))
    ]
    if wanted.countries:
        found.insert(0, is_chosen(row.country, wanted.countries, UNKNOWN_COUNTRY))
    return found


def _measure_conditions(wanted: SessionFilter, row: Row) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for column, least, most in (
        (row.duration_ms, wanted.duration_min, wanted.duration_max),
        (row.events, wanted.events_min, wanted.events_max),
    ):
        found += [column >= least] if least is not None else []
        found += [column <= most] if most is not None else []
    if wanted.bounced is not None:
        found.append(is_bounced(row) if wanted.bounced else ~is_bounced(row))
    return found


def _path_conditions(wanted: SessionFilter, row: Row) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for page, choice in ((row.entry_page, wanted.entry), (row.exit_page, wanted.exit)):
        found += [is_one_like(page, choice.wanted)] if choice.wanted else []
        found += [is_none_like(page, choice.excluded)] if choice.excluded else []
    if wanted.path.wanted:
        found.append(has_event(row, is_one_like(EventRow.path, wanted.path.wanted)))
    if wanted.path.excluded:
        found.append(~has_event(row, is_one_like(EventRow.path, wanted.path.excluded)))
    if wanted.words:
        found.append(has_event(row, holds_words(EventRow.path, wanted.words)))
    return found
