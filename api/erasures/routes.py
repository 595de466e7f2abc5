"""Asking for the erasure of a visitor, and watching it, under /api/v1."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Engine
from starlette.responses import Response
from starlette.types import Scope as AsgiScope

from api.access import audit
from api.access.audit import Entry
from api.access.scopes import Access
from api.erasures import store
from api.erasures.answers import ErasureList, ErasureState, state_of
from api.feed import Clock
from api.history.engine import changing, reading
from api.history.routes import VisitorId
from api.plain import as_json
from api.schema import answers

ErasureId = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$")]
AddressOf = Callable[[AsgiScope], str]


class ErasureParameters(BaseModel):
    """Whose visitor it is."""

    model_config = ConfigDict(extra="forbid")

    site: str = Field(pattern=r"^[A-Za-z0-9._-]{1,64}$", description="The visitor's site.")


def erasures_router(
    engine: Engine, clock: Clock, address_of: AddressOf, wake: Callable[[], None]
) -> APIRouter:
    """The routes. ``wake``: what to call when there is a new erasure."""
    router = APIRouter(prefix="/api/v1", tags=["erasures"], default_response_class=Response)

    @router.delete(
        "/visitors/{visitor_id:path}",
        status_code=202,
        responses=answers(ErasureState, 422, 503, status=202),
    )
    def erase_visitor(
        visitor_id: VisitorId, parameters: Annotated[ErasureParameters, Query()], request: Request
    ) -> Response:
        """Erase a visitor everywhere: history, live view, the job's state, topics, files.

        Needs the scope `erase`. The answer's `Location` says where to watch it. All ids that
        shared sessions with this one are erased, too. Asked again before it is done, it is the
        same erasure.
        """
        entry = Entry("visitor_erased", Access.of(request).actor, address=address_of(request.scope))
        with changing(engine) as connection:
            found = store.ask_for(connection, parameters.site, visitor_id, clock())
            if found.is_new:
                subject = f"erasure {found.row.erasure_id} of {parameters.site}"
                audit.record(connection, entry._replace(subject=subject), clock())
        wake()
        location = f"/api/v1/erasures/{found.row.erasure_id}"
        return as_json(state_of(found.row), 202, {"Location": location})

    @router.get("/erasures", responses=answers(ErasureList, 503))
    def all_erasures() -> Response:
        """All erasures, the newest first."""
        with reading(engine) as connection:
            return as_json(ErasureList(items=[state_of(row) for row in store.listed(connection)]))

    @router.get("/erasures/{erasure_id}", responses=answers(ErasureState, 404, 422, 503))
    def one_erasure(erasure_id: ErasureId) -> Response:
        """An erasure, and how far it is."""
        with reading(engine) as connection:
            row = store.one(connection, erasure_id)
        if row is None:
            raise HTTPException(404, f"No erasure has the id {erasure_id!r}.")
        return as_json(state_of(row))

    return router
