"""Answers that nobody should keep, because they are of this moment or of this reader."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from starlette.responses import Response


def as_json(
    answer: Struct, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer as JSON, with ``Cache-Control: no-store`` beside the given headers."""
    return Response(
        msgspec.json.encode(answer),
        status,
        {"Cache-Control": "no-store", **(headers or {})},
        "application/json",
    )
