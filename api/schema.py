"""The OpenAPI document, with every answer's schema taken from its msgspec struct."""

from typing import Any

import msgspec
from fastapi import FastAPI

from api.problems import MEDIA_TYPE, Problem

_TEMPLATE = "#/components/schemas/{name}"


def answers(kind: type, *errors: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route that answers ``kind``, or problem details."""
    _ANSWERED.add(kind)
    described: dict[int | str, dict[str, Any]] = {
        200: {"description": "OK", "content": _content("application/json", kind)}
    }
    for status in errors:
        described[status] = {
            "description": _MEANINGS[status],
            "content": _content(MEDIA_TYPE, Problem),
        }
    return described


def install(app: FastAPI) -> None:
    """Make ``app`` serve a document whose references all resolve."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas.update(_schemas())
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
        return app.openapi_schema or document

    app.openapi = openapi  # type: ignore[method-assign]


_ANSWERED: set[type] = {Problem}
_MEANINGS = {
    401: "An API key is needed.",
    404: "There is no such thing.",
    422: "A parameter is wrong; errors says which.",
    503: "The database does not answer, or the API is not ready.",
}


def _content(media_type: str, kind: type) -> dict[str, Any]:
    return {media_type: {"schema": {"$ref": _TEMPLATE.format(name=kind.__name__)}}}


def _schemas() -> dict[str, Any]:
    kinds = sorted(_ANSWERED, key=lambda kind: kind.__name__)
    _, schemas = msgspec.json.schema_components(kinds, ref_template=_TEMPLATE)
    return schemas
