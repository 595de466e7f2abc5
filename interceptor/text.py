"""Bytes from the network as text; what may be kept of it is for ``contracts.texts`` to say."""

from contracts.texts import (
    MAX_AGENT,
    MAX_VALUE,
    clean,
    cut,
    host_text,
    path_text,
    query_values,
    referrer_text,
)

__all__ = [
    "MAX_AGENT",
    "MAX_VALUE",
    "cut",
    "decoded",
    "host_text",
    "path_text",
    "query_values",
    "quoted",
    "referrer_text",
]


def decoded(raw: bytes) -> str:
    """UTF-8 when it is, Latin-1 otherwise; control characters become U+FFFD."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text if text.isprintable() else clean(text)


def quoted(path: bytes) -> bytes:
    """A path that the server has decoded already, so that it is not decoded twice."""
    return path.replace(b"%", b"%25").replace(b"?", b"%3F").replace(b"#", b"%23")
