"""Records as bytes in a file that a crash may cut and a disk may damage. Pure.

A frame is a header of three big-endian 32-bit numbers and a payload. The header: the payload's
length, its CRC-32, and the CRC-32 of these eight bytes. The payload: four bytes with the key's
length, the key, the value. Because the header has a checksum of its own, a damaged payload is
stepped over by its length, and a damaged header is never mistaken for one: what follows it
cannot be read.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

_SIZES = struct.Struct(">II")
_CHECK = struct.Struct(">I")
_KEY = struct.Struct(">I")
HEADER_BYTES = _SIZES.size + _CHECK.size


class Record(NamedTuple):
    """What Kafka gets."""

    key: bytes
    value: bytes


class Frame(NamedTuple):
    """A record that is whole, and the offset at which the next frame begins."""

    record: Record
    end: int


def framed(record: Record) -> bytes:
    """The record's frame."""
    payload = _KEY.pack(len(record.key)) + record.key + record.value
    sizes = _SIZES.pack(len(payload), crc32(payload))
    return sizes + _CHECK.pack(crc32(sizes)) + payload


def frames(data: bytes, start: int = 0) -> Iterator[Frame]:
    """The whole frames from ``start`` on, in order. Damaged ones are left out."""
    while (sizes := _sizes(data, start)) is not None:
        length, check = sizes
        begin = start + HEADER_BYTES
        start = begin + length
        payload = data[begin:start]
        if len(payload) == length and crc32(payload) == check:
            yield Frame(_record(payload), start)


def _sizes(data: bytes, start: int) -> tuple[int, int] | None:
    """The payload's length and checksum; None where no header can be believed."""
    head = data[start : start + HEADER_BYTES]
    if len(head) < HEADER_BYTES:
        return None
    sizes, check = head[: _SIZES.size], head[_SIZES.size :]
    if _CHECK.unpack(check)[0] != crc32(sizes):
        return None
    length, payload_check = _SIZES.unpack(sizes)
    return length, payload_check


def _record(payload: bytes) -> Record:
    begin = _KEY.size
    end = begin + _KEY.unpack_from(payload)[0]
    return Record(payload[begin:end], payload[end:])
