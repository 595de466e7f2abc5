"""The stack's other files: logs lose the ids of erased visitors, and nothing else may hold any."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from contracts import Erasure
from contracts.naming import Named, words
from infra.erasing.topics import Whose
from infra.paths import Places

_SEEN_TO = ("kafka", "run", "savepoints", "site-salts")
"""Folders that are cleaned in their own way, or hold nothing of visitors."""
_LARGEST = 256 * 1024 * 1024


def clear_scratch(here: Places) -> None:
    """What Spark wrote beside its checkpoints. No job may run."""
    shutil.rmtree(here.run / "spark", ignore_errors=True)


def redact_logs(erasure: Erasure, here: Places) -> int:
    """Put asterisks in the place of erased ids in the logs, in place: they are being written."""
    whose, count = Whose(erasure), 0
    for file in sorted(here.logs.glob("*")) if here.logs.is_dir() else ():
        for word in _erased_words(whose, file):
            count += _blot_out(file, word.encode("latin-1"))
    return count


def scan_files(erasure: Erasure, here: Places) -> dict[str, int]:
    """How many ids of erased visitors each of the other files holds."""
    whose = Whose(erasure)
    counts = {
        str(file.relative_to(here.data)): len(set(_erased_words(whose, file)))
        for file in _others(here.data)
    }
    return {name: count for name, count in counts.items() if count}


def _others(data: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(data):
        is_top = Path(folder) == data
        if is_top:
            inner[:] = [name for name in inner if not _is_seen_to(name)]
        wanted = (name for name in sorted(names) if not (is_top and _is_seen_to(name)))
        yield from (Path(folder) / name for name in wanted)


def _is_seen_to(name: str) -> bool:
    return name in _SEEN_TO or name.startswith("checkpoint") or ".db" in name


def _erased_words(whose: Whose, file: Path) -> Iterator[str]:
    # One byte is one character, so that nothing in a binary file is passed over.
    text = _content(file).decode("latin-1")
    site = whose.erasure.site_id
    for word in set(words(text)):
        try:
            meant = word.encode("latin-1").decode()
        except UnicodeDecodeError:
            continue
        if whose.is_erased(Named(site, (meant,))):
            yield word


def _content(file: Path) -> bytes:
    """Of a regular file, which may be gone by now; not of one that memory would not hold."""
    try:
        is_read = file.is_file() and file.stat().st_size <= _LARGEST
        return file.read_bytes() if is_read else b""
    except FileNotFoundError:
        return b""


def _blot_out(file: Path, word: bytes) -> int:
    content, place, count = file.read_bytes(), 0, 0
    with file.open("r+b") as writer:
        while (place := content.find(word, place)) >= 0:
            writer.seek(place)
            writer.write(b"*" * len(word))
            place, count = place + len(word), count + 1
    return count
