"""As much of the WebSocket protocol (RFC 6455) as a client needs that only listens. No I/O."""

TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA
_FINAL = 0x80
_MASKED = 0x80
_NO_MASK = bytes(4)

Frame = tuple[int, bytes]
"""Opcode and payload."""


class FrameError(Exception):
    """The server sent what this client does not read: a fragment or an extension's frame."""


def upgrade_request(host: str, path: str) -> bytes:
    """Asks for a WebSocket without extensions, so nobody compresses."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: Y2xpY2t3YWtlLWJlbmNoIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def client_frame(opcode: int, payload: bytes) -> bytes:
    """A short frame of a client. It must be masked; a mask of zeros leaves it as it is."""
    size = len(payload)
    if size < 126:
        head = bytes((_FINAL | opcode, _MASKED | size))
    else:
        head = bytes((_FINAL | opcode, _MASKED | 126)) + size.to_bytes(2, "big")
    return head + _NO_MASK + payload


class FrameReader:
    """Cuts a server's bytes into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are whole now. Raises FrameError."""
        data = self._rest + data if self._rest else data
        frames, begin = [], 0
        while (found := _frame(data, begin)) is not None:
            opcode, payload, begin = found
            frames.append((opcode, payload))
        self._rest = data[begin:]
        return frames


def _frame(data: bytes, begin: int) -> tuple[int, bytes, int] | None:
    """Opcode, payload and where the next frame begins; None while it is not whole."""
    if len(data) - begin < 2:
        return None
    first, size, at = data[begin], data[begin + 1], begin + 2
    if first & 0xF0 != _FINAL or size & _MASKED:
        raise FrameError(f"a frame begins with {data[begin : begin + 2].hex()}")
    if size >= 126:
        length = 2 if size == 126 else 8
        if len(data) < at + length:
            return None
        size = int.from_bytes(data[at : at + length], "big")
        at += length
    if len(data) < at + size:
        return None
    return first & 0x0F, data[at : at + size], at + size
