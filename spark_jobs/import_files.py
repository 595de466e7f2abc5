"""A log file that is imported: which one it is wherever it is by now, and its lines in blocks."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO

import msgspec
import zstandard

from spark_jobs.file_arguments import FileError, unpacked
from spark_jobs.parse import MAX_BYTES

BLOCK_LINES = 4_000
HEAD_BYTES = 64 * 1024
_DAMAGE = (OSError, EOFError, zlib.error, zstandard.ZstdError)


class Head(msgspec.Struct, frozen=True):
    """A digest of what a file begins with, unpacked: it stays when the file grows or moves."""

    digest: str
    length: int


class Block(msgspec.Struct, frozen=True):
    """Up to BLOCK_LINES lines. ``first`` is the first one's number from 1.

    ``is_open``: the last line has no end, so somebody may still be writing it.
    """

    first: int
    lines: list[bytes]
    is_open: bool

    def check(self) -> int:
        """A checksum of its lines, to tell whether they were changed."""
        return zlib.crc32(b"\n".join(self.lines))


def head_of(file: Path) -> Head:
    """Read the file's beginning."""
    beginning = _beginning(file)
    return Head(_digest(beginning), len(beginning))


def is_file(file: Path, head: Head) -> bool:
    """Whether the file at that path begins so."""
    beginning = _beginning(file)[: head.length]
    return len(beginning) == head.length and _digest(beginning) == head.digest


def blocks(
    file: Path, after: int, passed: Callable[[int], None] = lambda _bytes: None
) -> Iterator[Block]:
    """The blocks of lines after line ``after``. ``passed`` is told how much of the file was read.

    FileError when it cannot be read to its end.
    """
    with _reading(file) as (stream, raw):
        lines = _lines(stream)
        _skip(lines, after, file)
        at = 0
        while block := list(islice(lines, BLOCK_LINES)):
            is_open = not block[-1].endswith(b"\n")
            yield Block(after + 1, [line.removesuffix(b"\n") for line in block], is_open)
            after += len(block)
            passed(raw.tell() - at)
            at = raw.tell()


def _skip(lines: Iterator[bytes], number: int, file: Path) -> None:
    there = sum(1 for _ in islice(lines, number))
    if there < number:
        raise FileError(
            f"{file} has {there:,} lines, and {number:,} of them are imported: it was cut, or "
            "another one begins alike. --again imports it from its first line"
        )


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """With their ends. Of one that is too long to be a request, the beginning."""
    while line := stream.readline(MAX_BYTES + 2):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(MAX_BYTES)):
            line = line if not rest.endswith(b"\n") else line + b"\n"
        yield line


@contextmanager
def _reading(file: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    try:
        raw = file.open("rb")
        with closing(unpacked(raw, file.suffix)) as stream:
            yield stream, raw
    except _DAMAGE as error:
        raise FileError(f"{file} cannot be read: {error}") from None


def _beginning(file: Path) -> bytes:
    with _reading(file) as (stream, _):
        return stream.read(HEAD_BYTES)


def _digest(beginning: bytes) -> str:
    return blake2b(beginning, digest_size=16).hexdigest()
