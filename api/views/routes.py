"""The saved views' addresses under /api/v1."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from api.access import audit
from api.access.logins import Door
from api.access.rules import VIEWS
from api.access.scopes import Access
from api.history.engine import changing, reading
from api.history.values import SAYS_SOMETHING
from api.plain import as_json
from api.schema import answers, made
from api.views import store
from api.views.store import View, Wish

NAME_LIMIT = 80
LINK_LIMIT = 8_000
# Only a place on the dashboard's own page: such a link can lead nowhere else.
_LINK = r"^(\?[^#\s\x00]*)?(#/[^\s\x00]*)?$"
_PAGE = r"^[a-z]{1,20}$"

ViewId = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$")]


class Views(Struct, frozen=True, kw_only=True):
    """Saved views by their names."""

    items: list[View]


class ViewParameters(BaseModel):
    """Which views are asked for."""

    model_config = ConfigDict(extra="forbid")

    page: str | None = Field(None, pattern=_PAGE, description="Those of this page only.")


class NewView(BaseModel):
    """The body that saves a view."""

    model_config = ConfigDict(extra="forbid")

    page: str = Field(pattern=_PAGE, description="The page, such as explore.")
    name: str = Field(
        max_length=NAME_LIMIT, pattern=SAYS_SOMETHING, description="What people call it."
    )
    parameters: str = Field(
        min_length=1,
        max_length=LINK_LIMIT,
        pattern=_LINK,
        description="The link to it on the dashboard: ?filters#/page/part.",
    )

    def wish(self) -> Wish:
        """What is to be kept."""
        return Wish(self.page, self.name.strip() or self.name, self.parameters)


def views_router(door: Door) -> APIRouter:
    """Routes that read, save and delete views; the audit log has the latter two."""
    router = APIRouter(tags=["views"], default_response_class=Response)

    @router.get(VIEWS, responses=answers(Views, 422, 503))
    def saved(parameters: Annotated[ViewParameters, Query()]) -> Response:
        """Pages of the dashboard as people set and named them, shared by all."""
        with reading(door.engine) as connection:
            return as_json(Views(items=store.listed(connection, parameters.page)))

    @router.post(VIEWS, status_code=201, responses=made(View, 422, 503))
    def save(request: Request, wanted: NewView) -> Response:
        """Save a view for everyone. Needs the scope `admin`."""
        with changing(door.engine) as connection:
            made = _add(connection, request, wanted.wish(), door)
            _enter(connection, door, request, "view_saved", made)
        return as_json(made, 201)

    @router.delete(f"{VIEWS}/{{view_id}}", status_code=204, responses=answers(None, 404, 422, 503))
    def forget(request: Request, view_id: ViewId) -> Response:
        """Delete a view. Needs the scope `admin`."""
        with changing(door.engine) as connection:
            gone = store.take_away(connection, view_id)
            if gone is None:
                raise HTTPException(404, f"No view has the id {view_id!r}.")
            _enter(connection, door, request, "view_deleted", gone)
        return Response(status_code=204, headers={"Cache-Control": "no-store"})

    return router


def _add(connection: Connection, request: Request, wish: Wish, door: Door) -> View:
    try:
        return store.add(connection, wish, Access.of(request).name, door.clock())
    except store.FullError:
        detail = f"There are {store.MOST} views already: delete one that nobody uses."
        raise HTTPException(422, detail) from None


def _enter(connection: Connection, door: Door, request: Request, action: str, view: View) -> None:
    entry = audit.Entry(
        action,
        Access.of(request).actor,
        f"view {view.view_id}",
        door.address_of(request.scope),
        f"{view.page}: {view.name}",
    )
    audit.record(connection, entry, door.clock())
