"""Segments of Kafka's log lose records and nothing else."""

import pytest
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from infra.erasing.segments import SegmentError, entries, without

GZIP, ZSTD = 1, 4


def a_batch(first: int, values: list[bytes], compression: int = 0) -> bytes:
    builder = MemoryRecordsBuilder(
        magic=2, compression_type=compression, batch_size=1_000_000, offset=first
    )
    for number, value in enumerate(values):
        builder.append(timestamp=1_000 + number, key=b"k", value=value, headers=[("h", b"v")])
    builder.close()
    return bytes(builder.buffer())


def read(segment: bytes) -> list[tuple[int, int, bytes]]:
    found, records = [], MemoryRecords(segment)
    while records.has_next():
        batch = records.next_batch()
        assert batch.validate_crc()
        found += [(one.offset, one.timestamp, bytes(one.value)) for one in batch]
    return found


def is_secret(_key: bytes | None, value: bytes | None) -> bool:
    return value is not None and b"secret" in value


@pytest.mark.parametrize("compression", [0, GZIP, ZSTD])
def test_what_stays_keeps_its_offset_its_time_and_its_order(compression: int) -> None:
    first = a_batch(0, [b"a", b"secret" * 40, b"c" * 300], compression)
    second = a_batch(3, [b"d"], compression)
    cleaned, dropped = without(first + second, is_secret)
    assert dropped == 1
    assert read(cleaned) == [(0, 1_000, b"a"), (2, 1_002, b"c" * 300), (3, 1_000, b"d")]
    assert cleaned.endswith(second)


@pytest.mark.parametrize("compression", [0, ZSTD])
def test_of_an_empty_batch_the_header_stays_so_that_the_log_ends_where_it_did(
    compression: int,
) -> None:
    segment = a_batch(0, [b"a"]) + a_batch(1, [b"secret 1", b"secret 2"], compression)
    cleaned, dropped = without(segment, is_secret)
    assert dropped == 2
    assert read(cleaned) == [(0, 1_000, b"a")]
    records = MemoryRecords(cleaned)
    last = [records.next_batch() for _ in range(2)][-1]
    assert (last.next_offset, last.records_count) == (3, 0)


def test_without_anything_to_drop_the_bytes_are_the_same() -> None:
    torn = a_batch(0, [b"a"]) + a_batch(1, [b"b"])[:-3]
    assert without(torn, is_secret) == (torn, 0)
    assert [one.value for one in entries(torn)] == [b"a"]


def test_another_format_is_refused() -> None:
    batch = bytearray(a_batch(0, [b"a"]))
    batch[16] = 1
    with pytest.raises(SegmentError, match="format 1"):
        without(bytes(batch), is_secret)
