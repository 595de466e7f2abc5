"""Annotations in the database. The caller owns the transaction."""

from datetime import date
from typing import Any, cast

from msgspec import Struct
from sqlalchemy import Connection, Table, delete, insert, select
from uuid_utils import uuid7

from api.annotations.models import AnnotationRow

SHOWN_LIMIT = 1_000
"""Annotations in one answer."""

_TABLE = cast("Table", AnnotationRow.__table__)


class Annotation(Struct, frozen=True, kw_only=True):
    """A note on a day, such as 2026-03-01, of whatever time zone the reader has.

    ``site_id`` is the only site it is about; null: all. ``author`` is the key's name that wrote
    it, empty where none was needed. ``created`` is ms since 1970 UTC.
    """

    annotation_id: str
    day: str
    site_id: str | None
    text: str
    author: str
    created: int


class Wish(Struct, frozen=True):
    """An annotation to be made."""

    day: date
    text: str
    site_id: str | None


class Days(Struct, frozen=True):
    """Days, the first and the last included; None: without a bound."""

    first: date | None
    last: date | None


def add(connection: Connection, wish: Wish, author: str, now: int) -> Annotation:
    """Keep an annotation."""
    made = Annotation(
        annotation_id=str(uuid7()),
        day=wish.day.isoformat(),
        site_id=wish.site_id,
        text=wish.text,
        author=author,
        created=now,
    )
    connection.execute(insert(_TABLE).values(_row_of(made)))
    return made


def listed(connection: Connection, days: Days, site_id: str | None) -> list[Annotation]:
    """By day, and in the order in which they were made; the newest days' where they are many.

    Of a site: its own and those of all sites.
    """
    query: Any = select(_TABLE)
    if days.first is not None:
        query = query.where(_TABLE.c.day >= days.first.isoformat())
    if days.last is not None:
        query = query.where(_TABLE.c.day <= days.last.isoformat())
    if site_id is not None:
        query = query.where(_TABLE.c.site_id.in_([site_id, ""]))
    newest_first = query.order_by(_TABLE.c.day.desc(), _TABLE.c.annotation_id.desc())
    rows = connection.execute(newest_first.limit(SHOWN_LIMIT)).mappings()
    return [_annotation_of(row) for row in rows][::-1]


def take_away(connection: Connection, annotation_id: str) -> Annotation | None:
    """Forget an annotation, and say which it was; None when there is none with that id."""
    is_it = _TABLE.c.annotation_id == annotation_id
    found = connection.execute(select(_TABLE).where(is_it)).mappings().first()
    if found is None:
        return None
    connection.execute(delete(_TABLE).where(is_it))
    return _annotation_of(found)


def _row_of(annotation: Annotation) -> dict[str, Any]:
    columns = {name: getattr(annotation, name) for name in annotation.__struct_fields__}
    return columns | {"site_id": annotation.site_id or ""}


def _annotation_of(row: Any) -> Annotation:
    return Annotation(**{**row, "site_id": row["site_id"] or None})
