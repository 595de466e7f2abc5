"""Schemas of answers with ``fields``: sessions of which only some fields are there."""

from copy import deepcopy
from typing import Any

Schemas = dict[str, Any]

WHOLE, SOME = "SessionUpdate", "SomeOfSession"
_PAGES = ("SessionPage", "VisitorPage")
_PREFIX = "#/components/schemas/"


def allow_some_fields(schemas: Schemas) -> None:
    """Describe the items of pages as whole sessions, or those with the fields of ``fields``."""
    pages = [schemas[name] for name in _PAGES if name in schemas]
    if not pages:
        return
    some = _without_required(schemas[WHOLE], schemas)
    schemas[SOME] = {**some, "title": SOME, "description": "The fields that `fields` names."}
    for page in pages:
        page["properties"]["items"]["items"] = {"anyOf": [_reference(WHOLE), _reference(SOME)]}


def _without_required(schema: Any, schemas: Schemas) -> Any:
    """The schema with those that it refers to in it, none of whose fields need be there."""
    if isinstance(schema, list):
        return [_without_required(part, schemas) for part in schema]
    if not isinstance(schema, dict):
        return deepcopy(schema)
    if "$ref" in schema:
        return _without_required(schemas[schema["$ref"].removeprefix(_PREFIX)], schemas)
    kept = {name: part for name, part in schema.items() if name != "required"}
    return {name: _without_required(part, schemas) for name, part in kept.items()}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": _PREFIX + name}
