"""A browser's request for a page, as a server hands it on and as it stands on the wire."""

from typing import Any

PEER = "127.0.0.1"
"""Where all requests come from: a trusted proxy, which names the visitors' addresses."""
ADDRESSES = 5_000
QUERY = b"utm_source=news&utm_medium=email&id=1"

HEADERS = [
    (b"host", b"shop.example"),
    (b"user-agent", b"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
    (b"accept", b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    (b"accept-language", b"en-GB,en;q=0.5"),
    (b"accept-encoding", b"gzip, deflate, br, zstd"),
    (b"referer", b"https://shop.example/category/kettles?page=2"),
    (b"cookie", b"session=0123456789abcdef0123456789abcdef; theme=dark"),
    (b"sec-fetch-dest", b"document"),
    (b"sec-fetch-mode", b"navigate"),
    (b"sec-fetch-site", b"same-origin"),
]


def headers(number: int) -> list[tuple[bytes, bytes]]:
    """A request's headers; the number chooses one of 5,000 visitors."""
    address = b"81.2.%d.%d" % divmod(number % ADDRESSES, 250)
    return [*HEADERS, (b"x-forwarded-for", address)]


def scope(number: int, path: str) -> dict[str, Any]:
    """As an ASGI server gives it to an application."""
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": QUERY,
        "headers": headers(number),
        "client": (PEER, 4000),
    }


def wire(number: int, path: str) -> bytes:
    """As a browser sends it over HTTP/1.1."""
    lines = b"".join(b"%b: %b\r\n" % pair for pair in headers(number))
    return b"GET %b?%b HTTP/1.1\r\n%b\r\n" % (path.encode(), QUERY, lines)
