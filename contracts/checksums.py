"""Kafka's record checksum (CRC-32C) at native speed for kafka-python.

kafka-python computes it in Python, at about 175 µs a KiB while holding the interpreter: more
than all else that logging a request costs its site. Its one native choice has a licence that
not everyone can take, so Google's implementation (Apache-2.0) is put in its place.
"""

import google_crc32c
from kafka.record import util


def native_crc32c(data: memoryview | bytes) -> int:
    """CRC-32C (RFC 3720, appendix B.4) of the data."""
    return int(google_crc32c.value(bytes(data)))


def use_native_checksums() -> None:
    """From now on every kafka-python client of this process uses native_crc32c."""
    util.calc_crc32c.__defaults__ = (native_crc32c,)
