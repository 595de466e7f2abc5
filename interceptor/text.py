"""Bytes from the network as text that every later part can store. Nothing here raises."""

import re
from functools import lru_cache
from urllib.parse import unquote, unquote_plus, urlsplit

MAX_TEXT = 2048
MAX_AGENT = 1024
MAX_VALUE = 256
CACHEABLE = 512
"""Longer texts are worked out each time, so that a cache's memory stays bounded."""

RAW_VALUE = MAX_VALUE * 12
"""The longest percent form of MAX_VALUE characters, so a cut never halves one that is kept."""

CONTROLS = dict.fromkeys((*range(0x20), 0x7F), "�")
MATRIX = re.compile(r";[\w.~-]+=[^/]*")
USER = re.compile(r"//[^/]*@")
DEFAULT_PORTS = {"http": 80, "https": 443}


def decoded(raw: bytes) -> str:
    """UTF-8 when it is, Latin-1 otherwise; control characters become U+FFFD."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text if text.isprintable() else clean(text)


def clean(text: str) -> str:
    """Control characters, NUL among them, become U+FFFD: no store or terminal sees them."""
    # isprintable is the quick answer for nearly everything, and False for more than controls.
    return text if text.isprintable() else text.translate(CONTROLS)


def quoted(path: bytes) -> bytes:
    """A path that the server has decoded already, so that it is not decoded twice."""
    return path.replace(b"%", b"%25").replace(b"?", b"%3F")


def path_text(raw_path: bytes) -> str:
    """A decoded path, cut to 2,048 characters, without its query or matrix parameters.

    ``%zz`` stays as it is, bytes that are not UTF-8 become U+FFFD, and ``;jsessionid=…`` goes:
    a session id in a path would let whoever reads the history take the session over.
    """
    raw = raw_path.partition(b"?")[0].decode("utf-8", "replace")
    text = unquote(raw, errors="replace") if "%" in raw else raw
    if ";" in text:
        text = MATRIX.sub("", text)
    return clean(text)[:MAX_TEXT] or "/"


def query_values(query_string: bytes, allowed: frozenset[str]) -> dict[str, str]:
    """The allow-listed parameters, the first of each name, values cut to 256 characters."""
    kept: dict[str, str] = {}
    if not query_string:
        return kept
    for pair in query_string.decode("utf-8", "replace").split("&"):
        name, _, value = pair.partition("=")
        name = unquote_plus(name) if "%" in name or "+" in name else name
        if name in allowed and name not in kept:
            if "%" in value or "+" in value:
                value = unquote_plus(value[:RAW_VALUE], errors="replace")
            kept[name] = clean(value[:MAX_VALUE])
    return kept


def referrer_text(value: str) -> str | None:
    """``scheme://host/path`` of a Referer: no query, no fragment, no user, no session id.

    What is no web address is kept as text up to its first ``?`` or ``#``.
    """
    if not value:
        return None
    return _referrer_seen(value) if len(value) <= CACHEABLE else _referrer(value)


def _referrer(value: str) -> str:
    bare = USER.sub("//", re.split(r"[?#]", value, maxsplit=1)[0])
    try:
        parts = urlsplit(bare)
        port, host = parts.port, parts.hostname
    except ValueError:
        return bare[:MAX_TEXT]
    if not host:
        return bare[:MAX_TEXT]
    host = f"[{host}]" if ":" in host else host
    if port and port != DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    return f"{parts.scheme}://{host}{MATRIX.sub('', parts.path)}"[:MAX_TEXT]


_referrer_seen = lru_cache(maxsize=2048)(_referrer)


@lru_cache(maxsize=256)
def host_text(value: str) -> str:
    """A Host header's name in lower case, without its port."""
    host = value.strip().lower()
    if host.startswith("["):
        return host.partition("]")[0][1:][:255]
    return host.partition(":")[0].rstrip(".")[:255]
