"""The OpenAPI document, with every answer's schema taken from its msgspec struct."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI

from api.partial import allow_some_fields
from api.problems import MEDIA_TYPE, Problem

_TEMPLATE = "#/components/schemas/{name}"


def answers(kind: type | None, *errors: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that answers ``kind``, nothing (204) or problem details."""
    described: dict[int | str, dict[str, Any]] = {204: {"description": "Done."}}
    if kind is not None:
        _ANSWERED.add(kind)
        content = _content("application/json", kind)
        described = {status: {"description": HTTPStatus(status).phrase, "content": content}}
    for error in errors:
        described[error] = {
            "description": _MEANINGS[error],
            "content": _content(MEDIA_TYPE, Problem),
        }
    return described


def made(kind: type, *errors: int, said: str = "Kept.") -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that makes a ``kind`` (201), or answers problem details."""
    described = answers(kind, *errors, status=201)
    described[201]["description"] = said
    return described


def either(status: int, kind: type) -> dict[str, Any]:
    """The answer of that status as problem details of a kind of its own, or plain ones."""
    _ANSWERED.add(kind)
    names = (kind.__name__, Problem.__name__)
    schema = {"anyOf": [{"$ref": _TEMPLATE.format(name=name)} for name in names]}
    return {"description": _MEANINGS[status], "content": {MEDIA_TYPE: {"schema": schema}}}


def takes(kind: type, single: Iterable[str], lines: Iterable[str]) -> dict[str, Any]:
    """The ``openapi_extra`` of a route whose body is one ``kind`` or an array, or one a line."""
    _ANSWERED.add(kind)
    one = {"$ref": _TEMPLATE.format(name=kind.__name__)}
    several = {"oneOf": [one, {"type": "array", "items": one}]}
    content: dict[str, Any] = {media_type: {"schema": several} for media_type in single}
    content |= {media_type: {"schema": {"type": "string"}} for media_type in lines}
    return {"requestBody": {"required": True, "content": content}}


def install(app: FastAPI) -> None:
    """Make ``app`` serve a document whose references all resolve."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas.update(_schemas())
            allow_some_fields(schemas)
            document["components"]["securitySchemes"] = _SCHEMES
            for path, methods in document["paths"].items():
                _say_what_the_gate_says(path, methods)
                _say_that_bodies_are_read(methods)
                _leave_out_null(methods)
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
        return app.openapi_schema or document

    app.openapi = openapi  # type: ignore[method-assign]


_ANSWERED: set[type] = {Problem}
_MEANINGS = {
    400: "The body is not what its type says.",
    401: "An API key or a log-in is needed, or the key is wrong.",
    403: "The key has not the scope that this needs, or the page is a foreign one.",
    404: "There is no such thing.",
    409: "It cannot be done here or now; detail says why.",
    413: "The body is too large.",
    415: "The body is of a type that is not taken.",
    422: "A parameter is wrong; errors says which.",
    429: "Too many; Retry-After says when to try again.",
    503: "The database does not answer, or the API is not ready.",
}


_SCHEMES = {
    "key": {"type": "http", "scheme": "bearer"},
    "key_header": {"type": "apiKey", "in": "header", "name": "X-Clickwake-Key"},
}
_BY_THE_GATE = (401, 403, 429)


def _say_what_the_gate_says(path: str, methods: dict[str, Any]) -> None:
    """Before every route under /api stands the gate, where keys are needed (the empty choice)."""
    for operation in methods.values() if path.startswith("/api/") else ():
        operation["security"] = [{}, *({name: []} for name in _SCHEMES)]
        for status in _BY_THE_GATE:
            described = {"description": _MEANINGS[status], "content": _content(MEDIA_TYPE, Problem)}
            operation["responses"].setdefault(str(status), described)


def _say_that_bodies_are_read(methods: dict[str, Any]) -> None:
    """Before a route sees a body it is read, which may fail."""
    for operation in methods.values():
        if "requestBody" in operation:
            described = {"description": _MEANINGS[400], "content": _content(MEDIA_TYPE, Problem)}
            operation["responses"].setdefault("400", described)


def _leave_out_null(methods: dict[str, Any]) -> None:
    """Nobody writes null into an address: to leave a parameter out says that."""
    for operation in methods.values():
        for parameter in operation.get("parameters", ()):
            schema = parameter["schema"]
            choices = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
            if len(choices) == 1:
                del schema["anyOf"]
                schema.update(choices[0])


def _content(media_type: str, kind: type) -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": _TEMPLATE.format(name=kind.__name__)}}}


def _schemas() -> dict[str, Any]:
    kinds = sorted(_ANSWERED, key=lambda kind: kind.__name__)
    _, schemas = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    return schemas
