"""A Kafka log segment without some of its records, as Kafka's own log cleaner would leave it. Pure.

Record batches of format 2 (KIP-98; org.apache.kafka.common.record.DefaultRecordBatch). What
stays keeps its offset, its time and its order. Of a batch with nothing left the header stays, so
that the partition ends where it ended and its producers are known.
"""

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

import google_crc32c
from kafka import codec
from kafka.record.util import decode_varint

_HEADER = struct.Struct(">qiibIhiqqqhii")
_AFTER_LENGTH = 12
_CRC, _ATTRIBUTES = 17, 21
_CODEC, _CONTROL = 0x07, 0x20
_COMPRESS = {
    1: (codec.gzip_decode, codec.gzip_encode),
    2: (codec.snappy_decode, codec.snappy_encode),
    3: (codec.lz4_decode, codec.lz4_encode),
    4: (codec.zstd_decode, codec.zstd_encode),
}


class SegmentError(Exception):
    """A segment is not as this code knows them. Say which Kafka wrote it."""


class Entry(NamedTuple):
    """A record's key and value, and the bytes that it takes in its batch."""

    key: bytes | None
    value: bytes | None
    whole: bytes


ShouldDrop = Callable[[bytes | None, bytes | None], bool]


def entries(segment: bytes) -> Iterator[Entry]:
    """All records, in order; what was torn at the end is left out."""
    for batch in _batches(segment):
        yield from _records(batch)


def without(segment: bytes, should_drop: ShouldDrop) -> tuple[bytes, int]:
    """The segment without the records for which ``should_drop(key, value)``; how many those were.

    The very bytes if there are none. What was torn at the end is cut off, as Kafka would.
    """
    parts, dropped = [], 0
    for batch in _batches(segment):
        records = list(_records(batch))
        kept = [one for one in records if not should_drop(one.key, one.value)]
        dropped += len(records) - len(kept)
        parts.append(batch if len(kept) == len(records) else _rebuilt(batch, kept))
    return (b"".join(parts), dropped) if dropped else (segment, 0)


def _batches(segment: bytes) -> Iterator[bytes]:
    place = 0
    while place + _HEADER.size <= len(segment):
        end = place + _AFTER_LENGTH + struct.unpack_from(">i", segment, place + 8)[0]
        if end <= place + _AFTER_LENGTH or end > len(segment):
            return
        batch = segment[place:end]
        if batch[16] != 2:
            raise SegmentError(f"a record batch at {place} has format {batch[16]}, not 2")
        yield batch
        place = end


def _records(batch: bytes) -> Iterator[Entry]:
    header = _HEADER.unpack_from(batch)
    attributes, count = header[5], header[12]
    if attributes & _CONTROL:
        return
    plain = _plain(batch, attributes & _CODEC)
    place = 0
    for _ in range(count):
        length, start = decode_varint(plain, place)
        yield _entry(plain, place, start, start + length)
        place = start + length


def _plain(batch: bytes, compression: int) -> bytearray:
    content = batch[_HEADER.size :]
    return bytearray(_COMPRESS[compression][0](content) if compression and content else content)


def _entry(plain: bytearray, begin: int, start: int, end: int) -> Entry:
    place = start + 1
    for _ in ("its time", "its offset"):
        _, place = decode_varint(plain, place)
    key, place = _bytes(plain, place)
    value, place = _bytes(plain, place)
    return Entry(key, value, bytes(plain[begin:end]))


def _bytes(plain: bytearray, place: int) -> tuple[bytes | None, int]:
    length, place = decode_varint(plain, place)
    if length < 0:
        return None, place
    return bytes(plain[place : place + length]), place + length


def _rebuilt(batch: bytes, kept: list[Entry]) -> bytes:
    header = list(_HEADER.unpack_from(batch))
    compression = header[5] & _CODEC
    content = b"".join(one.whole for one in kept)
    if compression and kept:
        content = _COMPRESS[compression][1](content)
    elif compression:
        # Nothing is left that could be unpacked.
        header[5] &= ~_CODEC
    header[1] = _HEADER.size - _AFTER_LENGTH + len(content)
    header[12] = len(kept)
    made = bytearray(_HEADER.pack(*header) + content)
    struct.pack_into(">I", made, _CRC, google_crc32c.value(bytes(made[_ATTRIBUTES:])))
    return bytes(made)
