"""Ask a process over HTTP whether it is ready."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

SECONDS = 1.5


def answers(url: str) -> bool:
    """Whether a GET gets a 200."""
    return fetch(url)[0] == 200


def fetch(
    url: str,
    seconds: float = SECONDS,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> tuple[int, Any]:
    """The status (0: no answer) and the JSON document (None: no JSON) at a URL."""
    known = dict(headers or {})
    asked = urllib.request.Request(url, headers=known, method=method)  # noqa: S310 (our own URLs)
    try:
        with urllib.request.urlopen(asked, timeout=seconds) as answer:  # noqa: S310
            return answer.status, _decode(answer.read())
    except urllib.error.HTTPError as error:
        # A 503 of /readyz still says which part is not ready.
        return error.code, _decode(error.read())
    except (OSError, ValueError):
        return 0, None


def _decode(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def components(document: Any) -> dict[str, tuple[bool, str]]:
    """What ``/readyz`` says of each part: name → (is it ok, detail with what to do)."""
    parts = document.get("components") if isinstance(document, dict) else None
    if not isinstance(parts, dict):
        return {}
    return {
        str(name): (bool(part.get("ok")), _advice(part))
        for name, part in parts.items()
        if isinstance(part, dict)
    }


def _advice(part: dict[str, Any]) -> str:
    detail, todo = str(part.get("detail") or ""), str(part.get("todo") or "")
    return f"{detail}. {todo}" if todo else detail


def is_component_ok(url: str, name: str) -> bool:
    """Whether the ``/readyz`` at the URL says that this part is ok.

    An API that needs keys tells us strangers of no part: then the whole has to do.
    """
    status, document = fetch(url)
    parts = components(document)
    if status == 200 and not parts:
        return True
    return parts.get(name, (False, ""))[0]
