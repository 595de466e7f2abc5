"""Spark's checkpoint files, read without Spark: whether each is whole, and what it says.

Formats of Spark 4.2: ``offsets/N`` and ``commits/N`` are text, a version and JSON lines;
``state/0/P/V.changelog`` is a stream of LZ4 blocks that ends with an empty one;
``state/0/P/V.zip`` names the RocksDB files of a snapshot. Beside a file ``NAME`` Hadoop's local
file system keeps ``.NAME.crc``: "crc", a zero byte, the chunk size, and each chunk's CRC-32.
"""

import struct
import zipfile
import zlib
from pathlib import Path

import msgspec

from spark_jobs.checkpoint import Offsets

OPERATOR = "state/0"
PARTITIONS_SETTING = "spark.sql.shuffle.partitions"

_BLOCK = struct.Struct("<8sBiiI")
_MAGIC = b"LZ4Block"


class OffsetLog(msgspec.Struct, frozen=True):
    """One batch: up to where it reads, and how many partitions its state has."""

    offsets: Offsets
    state_partitions: int


def crc_of(file: Path) -> Path:
    """Where the file's checksums are."""
    return file.parent / f".{file.name}.crc"


def is_intact(file: Path) -> bool:
    """Whether the file can be read, is not empty, and agrees with its checksums if it has any."""
    try:
        content = file.read_bytes()
        sums = crc_of(file).read_bytes() if crc_of(file).exists() else b""
    except OSError:
        return False
    return bool(content) and (not sums or _agrees(content, sums))


def _agrees(content: bytes, sums: bytes) -> bool:
    if len(sums) < 8 or sums[:4] != b"crc\0":
        return False
    (size,) = struct.unpack(">i", sums[4:8])
    if size <= 0:
        return False
    chunks = [content[start : start + size] for start in range(0, len(content), size)]
    return sums[8:] == b"".join(struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)


def numbered(folder: Path, suffix: str = "") -> dict[int, Path]:
    """The files ``<number><suffix>`` of a folder by their number."""
    if not folder.is_dir():
        return {}
    found = [file for file in folder.iterdir() if file.name.endswith(suffix)]
    stems = [(file.name.removesuffix(suffix), file) for file in found]
    return {int(stem): file for stem, file in stems if stem.isdecimal()}


def read_offset_log(file: Path) -> OffsetLog | None:
    """What ``offsets/N`` says; None when it is torn."""
    lines = _log_lines(file)
    try:
        settings = msgspec.json.decode(lines[0], type=dict[str, object])["conf"]
        offsets = msgspec.json.decode(lines[1], type=Offsets)
        partitions = msgspec.convert(settings, dict[str, str])[PARTITIONS_SETTING]
        return OffsetLog(offsets, int(partitions))
    except (IndexError, KeyError, ValueError, msgspec.MsgspecError):
        return None


def is_whole_commit(file: Path) -> bool:
    """Whether ``commits/N`` can be read."""
    return bool(_log_lines(file))


def _log_lines(file: Path) -> list[bytes]:
    """The JSON lines after the version, each of which must be an object; [] when torn."""
    if not is_intact(file):
        return []
    version, *lines = file.read_bytes().split(b"\n")
    try:
        for line in lines:
            msgspec.json.decode(line, type=dict[str, object])
    except msgspec.MsgspecError:
        return []
    return lines if version[:1] == b"v" else []


def is_whole_metadata(file: Path) -> bool:
    """Whether ``metadata``, the query's identity, can be read."""
    try:
        return is_intact(file) and bool(msgspec.json.decode(file.read_bytes())["id"])
    except (KeyError, TypeError, msgspec.MsgspecError):
        return False


def torn_state(checkpoint: Path, partitions: int, version: int) -> list[Path] | None:
    """What must go so that the state of this version can be loaded; None when it can't be.

    Usually nothing; a torn snapshot must go when an older one and the changes since do as well.
    """
    if version > 0 and not is_intact(checkpoint / OPERATOR / "0" / "_metadata" / "schema"):
        return None
    torn: list[Path] = []
    for partition in range(partitions):
        found = _torn_in(checkpoint / OPERATOR / str(partition), version)
        if found is None:
            return None
        torn += found
    return torn


def _torn_in(folder: Path, version: int) -> list[Path] | None:
    changes, snapshots = numbered(folder, ".changelog"), numbered(folder, ".zip")
    torn: list[Path] = []
    for base in sorted((n for n in snapshots if n <= version), reverse=True):
        if is_whole_snapshot(snapshots[base]):
            return torn if _all_whole(changes, base, version) else None
        torn.append(snapshots[base])
    return torn if _all_whole(changes, 0, version) else None


def _all_whole(changes: dict[int, Path], after: int, version: int) -> bool:
    needed = range(after + 1, version + 1)
    return all(n in changes and is_whole_changelog(changes[n]) for n in needed)


def is_whole_changelog(file: Path) -> bool:
    """Whether its blocks end with the empty one, as a writer that was not interrupted leaves it."""
    if not is_intact(file):
        return False
    content, place, size = file.read_bytes(), 0, -1
    while place + _BLOCK.size <= len(content) and size != 0:
        magic, _, length, size, _ = _BLOCK.unpack_from(content, place)
        if magic != _MAGIC or length < 0:
            return False
        place += _BLOCK.size + length
    return size == 0 and place == len(content)


def is_whole_snapshot(file: Path) -> bool:
    """Whether the archive can be read and the RocksDB files it names are there in their size."""
    try:
        with zipfile.ZipFile(file) as archive:
            text = archive.read("metadata").decode()
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error):
        return False
    return is_intact(file) and all(_is_there(file.parent / "SSTs", one) for one in _tables(text))


def _tables(text: str) -> list[dict[str, object]]:
    """The metadata's list of RocksDB tables: JSON after a version line."""
    try:
        described = msgspec.json.decode(text.partition("\n")[2], type=dict[str, object])
        return msgspec.convert(described.get("sstFiles") or [], list[dict[str, object]])
    except msgspec.MsgspecError:
        return [{}]


def _is_there(folder: Path, table: dict[str, object]) -> bool:
    file = folder / str(table.get("dfsSstFileName") or table.get("dfsFileName"))
    return file.is_file() and file.stat().st_size == table.get("sizeBytes")
