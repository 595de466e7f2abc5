"""What strangers send, as text that every later part can store. Nothing here raises.

One rule for live traffic and for imported log files: a secret's usual places do not get through.
"""

import re
from functools import lru_cache
from urllib.parse import unquote, unquote_plus, urlsplit

MAX_TEXT = 2048
MAX_AGENT = 1024
MAX_VALUE = 256
MAX_HOST = 255
CACHEABLE = 512
"""Longer texts are worked out each time, so that a cache's memory stays bounded."""

CUT = "…"
"""The last character of a text that was longer."""

RAW_VALUE = (MAX_VALUE + 1) * 12
"""The longest percent form of more than is kept, so that a cut here neither halves nor hides."""

CONTROLS = dict.fromkeys((*range(0x20), 0x7F), "�")
SEMICOLON = re.compile(r"(?:;|%3[Bb])")
EQUALS = re.compile(r"(?:=|%3[Dd])")
END = re.compile(rb"[?#]")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
HOST_END = re.compile(r"[/?#\\;,%\s]")
USER = re.compile(r"//[^/]*@")
SEPARATOR = re.compile(r";[\w.~-]+=")
"""What older forms put between parameters: what follows is another one's."""
DEFAULT_PORTS = {"http": 80, "https": 443}


def clean(text: str) -> str:
    """Control characters, NUL among them, become U+FFFD: no store or terminal sees them."""
    # isprintable is the quick answer for nearly everything, and False for more than controls.
    return text if text.isprintable() else text.translate(CONTROLS)


def cut(text: str, longest: int) -> str:
    """At most so many characters; a longer text ends in ``…``."""
    return text if len(text) <= longest else text[: longest - 1] + CUT


def path_text(raw_path: bytes) -> str:
    """A decoded path, cut to 2,048 characters, without its query, user or matrix parameters.

    ``%zz`` stays as it is, bytes that are not UTF-8 become U+FFFD, and ``;jsessionid=…`` goes:
    a session id in a path would let whoever reads the history take the session over.
    """
    raw = END.split(raw_path, maxsplit=1)[0].decode("utf-8", "replace")
    text = unquote(raw, errors="replace") if "%" in raw else raw
    if "//" in text:
        text = _without_authority(text)
    return cut(clean(without_matrix(text)), MAX_TEXT) or "/"


def _without_authority(path: str) -> str:
    """Proxies' clients send whole addresses (RFC 9112, 3.2.2), and a user may stand in them."""
    if not path.startswith("/") and SCHEME.match(path):
        path = "/" + path.partition("://")[2].partition("/")[2]
    return USER.sub("//", path) if "@" in path else path


def without_matrix(path: str) -> str:
    """A path without ``;name=value``, also where it is escaped. ``/Lock;_Stock`` is a name."""
    if ";" not in path and "%3" not in path:
        return path
    return "/".join(map(_without_parameters, path.split("/")))


def _without_parameters(segment: str) -> str:
    # Two searches, as one expression for both would look from each semicolon to the end.
    begin = SEMICOLON.search(segment)
    if begin is None or EQUALS.search(segment, begin.end()) is None:
        return segment
    return segment[: begin.start()]


def query_values(query_string: bytes, allowed: frozenset[str]) -> dict[str, str]:
    """The allow-listed parameters, the first of each name; a value has 256 characters at most."""
    kept: dict[str, str] = {}
    if not query_string:
        return kept
    for pair in query_string.decode("utf-8", "replace").split("&"):
        name, _, value = pair.partition("=")
        name = unquote_plus(name) if "%" in name or "+" in name else name
        if name in allowed and name not in kept:
            if "%" in value or "+" in value:
                value = unquote_plus(value[:RAW_VALUE], errors="replace")
            if ";" in value:
                value = SEPARATOR.split(value, maxsplit=1)[0]
            kept[name] = cut(clean(value), MAX_VALUE)
    return kept


def referrer_text(value: str) -> str | None:
    """``scheme://host/path`` of a Referer: no query, no fragment, no user, no session id.

    What is no web address is kept as text: up to its first ``?`` or ``#``, and after its last
    ``@``.
    """
    if not value:
        return None
    return _referrer_seen(value) if len(value) <= CACHEABLE else _referrer(value)


def _referrer(value: str) -> str:
    bare = clean(USER.sub("//", re.split(r"[?#]", value, maxsplit=1)[0]))
    try:
        parts = urlsplit(bare)
        port, host = parts.port, parts.hostname
    except ValueError:
        return _no_address(bare)
    host = host and HOST_END.split(host, maxsplit=1)[0]
    if not host:
        return _no_address(bare)
    host = f"[{host}]" if ":" in host else host
    if port and port != DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    return cut(f"{parts.scheme}://{host}{without_matrix(parts.path)}", MAX_TEXT)


def _no_address(text: str) -> str:
    return cut(without_matrix(text.rpartition("@")[2]), MAX_TEXT)


_referrer_seen = lru_cache(maxsize=2048)(_referrer)


@lru_cache(maxsize=256)
def host_text(value: str) -> str:
    """A Host header's name in lower case, without port, user, or what is no host's."""
    host = HOST_END.split(clean(value.strip().lower()), maxsplit=1)[0].rpartition("@")[2]
    if host.startswith("["):
        return cut(host.partition("]")[0][1:], MAX_HOST)
    return cut(host.partition(":")[0].rstrip("."), MAX_HOST)
