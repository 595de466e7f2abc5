"""Damage to a checkpoint as a power cut or a full disk leaves it."""

from collections.abc import Callable
from pathlib import Path

from spark_jobs.checkpoint_files import crc_of, numbered


def newest(folder: Path, suffix: str = "") -> Path:
    """The file with the highest number."""
    files = numbered(folder, suffix)
    return files[max(files)]


def cut_in_half(file: Path) -> None:
    """Its end was never written; its checksums were."""
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def emptied(file: Path) -> None:
    """Neither it nor its checksums were written."""
    file.write_bytes(b"")
    crc_of(file).unlink(missing_ok=True)


def garbled(file: Path) -> None:
    """Zeros instead of its middle, and nothing to check it by."""
    content = file.read_bytes()
    third = len(content) // 3
    file.write_bytes(content[:third] + bytes(third) + content[2 * third :])
    crc_of(file).unlink(missing_ok=True)


def gone(file: Path) -> None:
    """It was never there."""
    file.unlink()
    crc_of(file).unlink(missing_ok=True)


Damage = Callable[[Path], None]
