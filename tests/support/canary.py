"""Secrets in every field that a client can set, and where to look for them afterwards."""

import base64
import re
import socket
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import zstandard
from kafka import KafkaConsumer, TopicPartition

from contracts.kafka import KafkaSettings

CANARY = "canary-4f1d"
"""What every secret begins with; the rest of it says where it was."""
KEPT = "kept-4f1d"
"""In User-Agent and utm_source: the search must find it, or it would prove nothing."""
AGENT = f"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0 {KEPT}"
ADDRESS = "81.2.69.176"
"""The visitor's. It is whole on the topics ``requests`` and ``dead-letters`` and nowhere else."""
FORGED = "198.51.100.77"
"""Left of an untrusted address, so nobody ever believed it."""
ZSTD = b"\x28\xb5\x2f\xfd"


def canary(place: str) -> str:
    """The secret of a place."""
    return f"{CANARY}-{place}"


def target(path: str = "/product/1") -> str:
    """A target with secrets in matrix parameters, escaped ones, query and fragment."""
    matrix = f";jsessionid={canary('matrix')}%3Bsid={canary('escaped-matrix')}"
    query = f"token={canary('query')}&utm_source={KEPT};sid={canary('semicolon')}"
    return f"{path}{matrix}?{query}#{canary('fragment')}"


def headers() -> list[str]:
    """Header lines, without Host: in all but User-Agent and addresses is a secret."""
    referer = (
        f"https://ann:{canary('referer-user')}@news.example/a;sid={canary('referer-matrix')}"
        f"%3Bsid={canary('referer-escaped')}?token={canary('referer-query')}#{canary('referer-f')}"
    )
    secret = [
        *("Cookie", "Authorization", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token"),
        *("X-Csrf-Token", "X-Anything", "From", "Origin", "X-Real-IP"),
        *("X-Forwarded-Host", "If-None-Match", "Via", "Sec-Purpose", "DNT"),
    ]
    return [
        f"User-Agent: {AGENT}",
        f"X-Forwarded-For: {FORGED}, {canary('forwarded-for')}, {ADDRESS}",
        f"Forwarded: for={FORGED};by={canary('forwarded')};host={canary('forwarded-host')}",
        f"Referer: {referer}",
        *(f"{name}: session={canary(name.lower())}" for name in secret),
    ]


def ask(address: str, line: str, host: str, body: str = "") -> bytes:
    """The raw answer to a request line with all the secret headers."""
    name, _, port = address.rpartition("//")[2].partition(":")
    length = [f"Content-Length: {len(body)}"] if body else []
    lines = [f"{line} HTTP/1.1", f"Host: {host}", *headers(), *length, "Connection: close", "", ""]
    with socket.create_connection((name, int(port)), timeout=30) as connection:
        connection.sendall("\r\n".join(lines).encode() + body.encode())
        parts = []
        while part := connection.recv(65_536):
            parts.append(part)
        return b"".join(parts)


def topics(kafka: KafkaSettings) -> Iterator[tuple[str, bytes]]:
    """(topic, bytes) of every record of every topic of the installation, unpacked."""
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
    try:
        ours = [name for name in consumer.topics() if name.startswith(f"{kafka.topic_prefix}.")]
        for name in ours:
            for number in consumer.partitions_for_topic(name) or ():
                yield from ((name, data) for data in _records(consumer, name, number))
    finally:
        consumer.close()


def _records(consumer: KafkaConsumer, name: str, number: int) -> Iterator[bytes]:
    part = TopicPartition(name, number)
    consumer.assign([part])
    consumer.seek_to_beginning(part)
    end = consumer.end_offsets([part])[part]
    while consumer.position(part) < end:
        for records in consumer.poll(timeout_ms=1000).values():
            for one in records:
                headers_ = b"\n".join(value for _, value in one.headers)
                yield b"\n".join((one.key or b"", unpacked_raw(one.value or b""), headers_))


def unpacked_raw(value: bytes) -> bytes:
    """A message, and in front of it the bytes that a dead letter holds."""
    try:
        raw = base64.b64decode(msgspec.json.decode(value)["raw"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        return value
    return raw + b"\n" + value


def files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file in it as it is, and again what is packed in it by zip or zstd."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        try:
            data = path.read_bytes()
        except OSError:
            continue  # gone meanwhile
        yield path, data
        yield from ((path, part) for part in _unpacked(path, data))


def _unpacked(path: Path, data: bytes) -> Iterator[bytes]:
    if path.suffix == ".zip" and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            yield from (packed.read(name) for name in packed.namelist())
    for found in re.finditer(re.escape(ZSTD), data):
        try:
            reader = zstandard.ZstdDecompressor().decompressobj()
            yield reader.decompress(data[found.start() :])
        except zstandard.ZstdError:
            continue


def places_with(needle: str, found: Iterable[tuple[object, bytes]]) -> set[str]:
    """Where it stands."""
    return {str(place) for place, data in found if needle.encode() in data}
