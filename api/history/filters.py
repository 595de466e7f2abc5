"""Which sessions a question is about, as values and as SQL conditions."""

from typing import Literal

from msgspec import Struct
from sqlalchemy import ColumnElement

from api.history.models import EventRow, SessionRow

Bots = Literal["include", "exclude", "only"]
MERGED = "merged"
UNKNOWN_COUNTRY = "unknown"


class SessionFilter(Struct, frozen=True, kw_only=True):
    """Sessions with start in [start_from, start_to) and the given properties; empty: any.

    ``countries`` are ISO 3166-1 alpha-2 codes, or ``unknown`` for sessions without a place.
    """

    start_from: int | None = None
    start_to: int | None = None
    countries: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    site_id: str | None = None
    bots: Bots = "include"


def session_conditions(wanted: SessionFilter) -> list[ColumnElement[bool]]:
    """The WHERE clause. Merged sessions live on in the one that took them in, so never here."""
    found = _range_conditions(wanted)
    if wanted.statuses:
        found.append(SessionRow.status.in_(sorted(wanted.statuses)))
    else:
        found.append(SessionRow.status != MERGED)
    if wanted.countries:
        found.append(_in_countries(wanted.countries))
    if wanted.site_id is not None:
        found.append(SessionRow.site_id == wanted.site_id)
    if wanted.bots != "include":
        found.append(SessionRow.is_bot.is_(wanted.bots == "only"))
    return found


def event_conditions(wanted: SessionFilter) -> list[ColumnElement[bool]]:
    """The same question put to events, as far as they carry the answer: site and bots."""
    found: list[ColumnElement[bool]] = []
    if wanted.site_id is not None:
        found.append(EventRow.site_id == wanted.site_id)
    if wanted.bots != "include":
        found.append(EventRow.is_bot.is_(wanted.bots == "only"))
    return found


def _range_conditions(wanted: SessionFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.start_from is not None:
        found.append(SessionRow.start >= wanted.start_from)
    if wanted.start_to is not None:
        found.append(SessionRow.start < wanted.start_to)
    return found


def _in_countries(countries: frozenset[str]) -> ColumnElement[bool]:
    known = SessionRow.country.in_(sorted(countries - {UNKNOWN_COUNTRY}))
    return known | SessionRow.country.is_(None) if UNKNOWN_COUNTRY in countries else known
