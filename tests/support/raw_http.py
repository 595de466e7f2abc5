"""A client that sends the bytes it is told to, and keeps those that come back."""

import re
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

HOST = "127.0.0.1"
CLOSE = 8
TEXT = 1
BINARY = 2
CHUNKED = (
    b"POST /echo HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
)


def request(target: str, method: str = "GET", body: bytes = b"", *headers: str) -> bytes:
    """A request after which the server closes the connection."""
    return open_request(target, method, body, *headers, "Connection: close")


def open_request(target: str, method: str = "GET", body: bytes = b"", *headers: str) -> bytes:
    """A request after which the connection may stay open."""
    length = (f"Content-Length: {len(body)}",) if body else ()
    lines = [f"{method} {target} HTTP/1.1", "Host: shop.example", *headers, *length, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


@contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection((HOST, port), timeout=30) as connection:
        yield connection


def until(connection: socket.socket, end: bytes) -> bytes:
    """What comes until it ends so. AssertionError when the server closes before."""
    got = b""
    while not got.endswith(end):
        part = connection.recv(1)
        assert part, f"closed after {got!r}"
        got += part
    return got


def rest(connection: socket.socket) -> bytes:
    """What comes until the server closes."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        parts.append(b"<reset>")
    return b"".join(parts)


def exchange(port: int, sent: bytes) -> bytes:
    """Everything that the server answers, but for its Date headers."""
    with connected(port) as connection:
        connection.sendall(sent)
        return undated(rest(connection))


def undated(answer: bytes) -> bytes:
    return re.sub(rb"\r\n[Dd]ate: [^\r]*", b"", answer)


def frame(kind: int, payload: bytes) -> bytes:
    """A WebSocket frame of a client, RFC 6455. The mask is zero, so the payload stays readable."""
    assert len(payload) < 126
    return struct.pack("!BB4x", 0x80 | kind, 0x80 | len(payload)) + payload


def handshake(target: str) -> bytes:
    return open_request(
        target,
        "GET",
        b"",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: tiny",
    )
