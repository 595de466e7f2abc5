"""What the policy looks at, from a WSGI environ (PEP 3333). Values in, a value out."""

from collections.abc import Iterable, Mapping
from typing import Any

from interceptor.capture import Request
from interceptor.text import decoded, path_text, quoted

KEYS_OF_THEIR_OWN = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


class EnvironReader:
    """Reads requests; ``names`` are the headers wanted, in lower case."""

    def __init__(self, names: Iterable[str]) -> None:
        self._keys = tuple((_key(name), name) for name in names)

    def request(self, environ: Mapping[str, Any]) -> Request:
        """The environ's parts as plain values; the server has joined headers of one name."""
        path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
        return Request(
            environ["REQUEST_METHOD"].upper()[:16] or "GET",
            path_text(quoted(_bytes(path))),
            self.headers(environ),
            _bytes(environ.get("QUERY_STRING", "")),
            environ.get("REMOTE_ADDR") or None,
        )

    def headers(self, environ: Mapping[str, Any]) -> dict[str, str]:
        """Those wanted that are there, by their lower-case names."""
        return {name: decoded(_bytes(environ[key])) for key, name in self._keys if key in environ}


def _key(name: str) -> str:
    return KEYS_OF_THEIR_OWN.get(name) or "HTTP_" + name.upper().replace("-", "_")


def _bytes(text: str) -> bytes:
    """What came over the wire: an environ's texts are bytes read as Latin-1."""
    return text.encode("latin-1", "replace")
