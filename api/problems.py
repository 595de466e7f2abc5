"""Every error as problem details (RFC 9457): one JSON form, whatever went wrong."""

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

import msgspec
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from contracts.logs import REQUEST_ID

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class ParameterError(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter that is wrong: where it stands, its name, and what would be right."""

    place: str = msgspec.field(name="in")
    parameter: str
    detail: str


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error answer. ``errors`` lists the offending parameters of a 422.

    ``request_id`` is that of the answer's ``X-Request-Id``; the log's lines have it, too.
    """

    type: str = msgspec.field(default="")
    title: str
    status: int
    detail: str
    instance: str
    errors: list[ParameterError] = []
    request_id: str = ""


def problem_response(
    status: int,
    detail: str,
    instance: str,
    *,
    errors: list[ParameterError] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response that says what went wrong and what to do."""
    problem = Problem(
        type="about:blank",
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=instance,
        errors=errors or [],
        request_id=REQUEST_ID.get() or "",
    )
    return Response(
        msgspec.json.encode(problem),
        status,
        headers={**_HEADERS, **_named(problem), **(headers or {})},
        media_type=MEDIA_TYPE,
    )


def _named(problem: Problem) -> dict[str, str]:
    """Starlette answers what nobody caught outside of all middleware: the header stands here."""
    return {"X-Request-Id": problem.request_id} if problem.request_id else {}


def wrong_parameter(name: str, detail: str) -> RequestValidationError:
    """What to raise when a query parameter turns out wrong after all were read: a 422."""
    return RequestValidationError([{"loc": ("query", name), "msg": detail, "type": "value_error"}])


def install(app: FastAPI) -> None:
    """Answer every error of ``app`` with problem details."""
    app.add_exception_handler(RequestValidationError, _on_bad_parameter)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(DBAPIError, _on_database_error)
    app.add_exception_handler(Exception, _on_failure)


async def _on_bad_parameter(request: Request, error: Exception) -> Response:
    found = cast("RequestValidationError", error).errors()
    errors = [_parameter_error(item) for item in found]
    names = ", ".join(f"{item.parameter!r}" for item in errors)
    detail = f"These parameters are wrong: {names}; see errors."
    return problem_response(422, detail, request.url.path, errors=errors)


def _parameter_error(item: dict[str, Any]) -> ParameterError:
    place, *path = [str(step) for step in item["loc"]]
    detail = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        detail = "is not a parameter of this address; /docs lists them"
    return ParameterError(place=place, parameter=".".join(path) or place, detail=detail)


async def _on_http_error(request: Request, error: Exception) -> Response:
    known = cast("HTTPException", error)
    detail = known.detail
    if known.status_code == 400:
        detail = _UNREADABLE
    if detail == HTTPStatus(known.status_code).phrase:
        detail = _DETAILS.get(known.status_code, detail)
    return problem_response(known.status_code, detail, request.url.path, headers=known.headers)


_UNREADABLE = "The body could not be read: it must be JSON in UTF-8."
_DETAILS = {
    404: "Nothing is at this address; /docs lists what there is.",
    405: "This address does not take that method; the Allow header lists those it takes.",
}


async def _on_database_error(request: Request, error: Exception) -> Response:
    log.warning("%s: the history database failed: %s", request.url.path, _first_line(error))
    detail = "The history database does not answer; /readyz says why. Try again in a moment."
    return problem_response(503, detail, request.url.path, headers={"Retry-After": "2"})


def _first_line(error: Exception) -> str:
    original = getattr(error, "orig", None) or error
    return str(original).partition("\n")[0]


async def _on_failure(request: Request, error: Exception) -> Response:
    reference = REQUEST_ID.get() or ""
    log.error("%s failed (reference %s): %r", request.url.path, reference, error)
    detail = f"The server failed; its log says why under the reference {reference}."
    return problem_response(500, detail, request.url.path)
