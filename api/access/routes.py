"""Logging in and out, and the audit log, under /api/v1."""

from typing import Annotated

from fastapi import APIRouter, Query
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from api.access import audit
from api.access.audit import AuditPage
from api.access.logins import Door
from api.access.rules import LOGIN, LOGOUT
from api.access.scopes import SCOPES, Access, Scope
from api.history.engine import reading
from api.plain import as_json
from api.schema import answers

_ENTRY_ID = r"^[0-9a-f-]{36}$"


class LogIn(BaseModel):
    """The body of a log-in."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(max_length=200, description="An API key, such as cw_…")


class Standing(Struct, frozen=True, kw_only=True):
    """What whoever asks may do here.

    ``needs_key``: without a key or a log-in nothing is shown. ``site``: the only one that is
    shown; null for all. ``expires`` is ms since 1970 UTC.
    """

    needs_key: bool
    key_id: str | None
    name: str
    scopes: list[Scope]
    site: str | None
    expires: int | None


class AuditParameters(BaseModel):
    """The audit log's parameters."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(100, ge=1, le=1000, description="How many entries.")
    before: str | None = Field(
        None, pattern=_ENTRY_ID, description="The next_before of the page before."
    )


def access_router(door: Door, *, needs_keys: bool) -> APIRouter:
    """The routes of those who come and go."""
    router = APIRouter(tags=["access"], default_response_class=Response)

    @router.post(LOGIN, status_code=204, responses=answers(None, 400, 401, 422, 429, 503))
    async def log_in(request: Request, wanted: LogIn) -> Response:
        """Log a browser in with an API key: the answer sets a cookie (HttpOnly, SameSite)."""
        cookie = await door.log_in(request, wanted.key)
        return _empty([cookie])

    @router.get(LOGIN, responses=answers(Standing))
    async def standing(request: Request) -> Response:
        """What you may do, and whether a key is needed for more."""
        return as_json(_standing(Access.of(request), needs_keys))

    @router.post(LOGOUT, status_code=204, responses=answers(None, 503))
    async def log_out(request: Request) -> Response:
        """Log the browser out."""
        return _empty(await door.log_out(request))

    @router.get("/api/v1/audit", responses=answers(AuditPage, 401, 403, 422, 503))
    def entries(parameters: Annotated[AuditParameters, Query()]) -> Response:
        """What was changed or tried, by whom, the newest first. Needs the scope `admin`."""
        with reading(door.engine) as connection:
            return as_json(audit.newest(connection, parameters.limit, parameters.before))

    return router


def _standing(access: Access, needs_keys: bool) -> Standing:
    return Standing(
        needs_key=needs_keys,
        key_id=access.key_id,
        name=access.name,
        scopes=[scope for scope in SCOPES if access.has(scope)],
        site=access.site,
        expires=access.expires,
    )


def _empty(cookies: list[str]) -> Response:
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    for cookie in cookies:
        response.headers.append("Set-Cookie", cookie)
    return response
