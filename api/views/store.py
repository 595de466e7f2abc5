"""Saved views in the database."""

from typing import Any, NamedTuple, cast

from msgspec import Struct
from sqlalchemy import Connection, Table, delete, func, insert, select
from uuid_utils import uuid7

from api.views.models import ViewRow

MOST = 500
_VIEWS = cast("Table", ViewRow.__table__)


class View(Struct, frozen=True, kw_only=True):
    """A page as somebody set it. ``parameters`` is the link to it, beginning with ``?`` or ``#``.

    ``author`` is the name of the key that saved it, empty without one.
    """

    view_id: str
    page: str
    name: str
    parameters: str
    author: str
    created: int


class Wish(NamedTuple):
    """What is to be kept."""

    page: str
    name: str
    parameters: str


class FullError(Exception):
    """There are as many views as can be kept. Delete one first."""


def listed(connection: Connection, page: str | None) -> list[View]:
    """All views, or those of a page, by their names."""
    query: Any = select(_VIEWS).order_by(_VIEWS.c.name, _VIEWS.c.view_id).limit(MOST)
    if page is not None:
        query = query.where(_VIEWS.c.page == page)
    return [View(**row._mapping) for row in connection.execute(query)]


def add(connection: Connection, wish: Wish, author: str, now: int) -> View:
    """Keep a view. FullError when there are too many."""
    if connection.execute(select(func.count()).select_from(_VIEWS)).scalar_one() >= MOST:
        raise FullError
    made = View(view_id=str(uuid7()), author=author, created=now, **wish._asdict())
    row = {name: getattr(made, name) for name in View.__struct_fields__}
    connection.execute(insert(_VIEWS).values(row))
    return made


def take_away(connection: Connection, view_id: str) -> View | None:
    """Delete a view; None when there is none with that id."""
    is_it = _VIEWS.c.view_id == view_id
    found = connection.execute(select(_VIEWS).where(is_it)).first()
    if found is None:
        return None
    connection.execute(delete(_VIEWS).where(is_it))
    return View(**found._mapping)
