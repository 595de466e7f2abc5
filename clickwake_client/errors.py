"""What may go wrong between a program and the API."""

from typing import Any

import msgspec


class ClientError(Exception):
    """Everything that this package raises."""


class UnreachableError(ClientError):
    """The API did not answer, again and again. Check its address and that it runs."""


class ApiError(ClientError):
    """The API refused. ``status`` is HTTP's, ``detail`` says why, ``request_id`` finds the call
    in the API's log."""

    def __init__(self, status: int, detail: str, request_id: str = "") -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.request_id = request_id


def api_error(status: int, body: bytes) -> ApiError:
    """The error of an answer, whose body may be problem details (RFC 9457)."""
    try:
        problem = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.DecodeError:
        return ApiError(status, "the answer is no JSON: is this a Clickwake API?")
    return ApiError(status, str(problem.get("detail", "")), str(problem.get("request_id", "")))
