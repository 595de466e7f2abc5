"""The script that pages include, as the middleware serves it."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from interceptor.answers import Answer, sentence

SOURCE = Path(__file__).with_name("beacon.js")
NOT_CODE = re.compile(r"^\s+|^//.*\n", re.MULTILINE)
"""Indentation and lines that are comments."""


class Script:
    """The script's bytes, made once, and the answers to who asks for them."""

    def __init__(self, *, respect_dnt: bool) -> None:
        self.body = _text(respect_dnt).encode()
        self.etag = f'"{hashlib.sha256(self.body).hexdigest()[:20]}"'
        self._lasting = (
            ("etag", self.etag),
            # The address has no version, so a new one should be seen within the hour.
            ("cache-control", "public, max-age=3600"),
        )
        self._headers = (
            ("content-type", "text/javascript; charset=utf-8"),
            ("content-length", str(len(self.body))),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            *self._lasting,
        )

    def answer(self, method: str, headers: Mapping[str, str]) -> Answer:
        """To GET and HEAD, with what the browser has already taken into account (RFC 9110)."""
        if method not in ("GET", "HEAD"):
            return sentence(405, "Ask for this script with GET.", ("allow", "GET, HEAD"))
        if self._is_known(headers.get("if-none-match", "")):
            return Answer(304, self._lasting)
        return Answer(200, self._headers, self.body if method == "GET" else b"")

    def _is_known(self, tags: str) -> bool:
        # Proxies that compress mark a tag as weak: W/"…" holds it, too.
        return self.etag in tags or tags.strip() == "*"


def _text(respect_dnt: bool) -> str:
    lines = SOURCE.read_text(encoding="utf-8").replace(
        "RESPECT_DNT", "true" if respect_dnt else "false"
    )
    # Twice: a comment that is indented begins its line once the indentation has gone.
    return NOT_CODE.sub("", NOT_CODE.sub("", lines))
