"""What the middleware itself answers, whatever the gateway. Values only."""

from http import HTTPStatus

import msgspec


class Answer(msgspec.Struct, frozen=True):
    """A whole answer. Header names are lower case."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def line(self) -> str:
        """The status as WSGI wants it: ``404 Not Found``."""
        return f"{self.status} {HTTPStatus(self.status).phrase}"


def sentence(status: int, text: str, *headers: tuple[str, str]) -> Answer:
    """An answer that says one sentence."""
    body = f"{text}\n".encode("utf-8", "replace")
    common = (
        ("content-type", "text/plain; charset=utf-8"),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    )
    return Answer(status, (*common, *headers), body)
