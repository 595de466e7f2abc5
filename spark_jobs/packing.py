"""A bucket's visitors as the bytes that Spark keeps, small enough to be moved at every touch.

Spark hands the whole of it to Python and back, and writes it to the checkpoint, whenever one
visitor of the bucket clicks. Visitors resemble each other, so a fifth of the bytes holds them.
"""

import msgspec
import pyarrow as pa

Visitors = dict[str, tuple[int, bytes]]
"""Visitor's key → (deadline, packed state)."""

SMALL = 4_096
"""Bytes below which squeezing costs more than it saves."""
_LEVEL = 1
_MARK = b"\x01"
"""Begins what is squeezed. Messagepack's maps begin with 0x80 or more."""
_SIZE_BYTES = 4

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Visitors).decode
_codec = pa.Codec("zstd", compression_level=_LEVEL)


def pack(visitors: Visitors) -> bytes:
    """The visitors as bytes; empty for none."""
    if not visitors:
        return b""
    plain = _encode(visitors)
    if len(plain) < SMALL:
        return plain
    squeezed: bytes = _codec.compress(plain, asbytes=True)
    return _MARK + len(plain).to_bytes(_SIZE_BYTES, "big") + squeezed


def unpack(body: bytes) -> Visitors:
    """The inverse of ``pack``; reads what was never squeezed, too."""
    if not body:
        return {}
    if body[:1] != _MARK:
        return _decode(body)
    begin = len(_MARK) + _SIZE_BYTES
    size = int.from_bytes(body[len(_MARK) : begin], "big")
    plain: bytes = _codec.decompress(memoryview(body)[begin:], size, asbytes=True)
    return _decode(plain)
