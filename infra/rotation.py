"""Keep log files from growing for ever: at each start, big ones step aside."""

from pathlib import Path

LARGEST_BYTES = 5_000_000
KEPT = 3


def rotate(log: Path, largest_bytes: int = LARGEST_BYTES, kept: int = KEPT) -> None:
    """``x.log`` becomes ``x.log.1`` when it is too big, ``x.log.1`` becomes ``x.log.2`` …"""
    if not log.exists() or log.stat().st_size < largest_bytes:
        return
    for number in range(kept - 1, 0, -1):
        older = _numbered(log, number)
        if older.exists():
            older.replace(_numbered(log, number + 1))
    log.replace(_numbered(log, 1))


def _numbered(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
