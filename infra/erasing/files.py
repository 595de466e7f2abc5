"""The stack's other files: logs lose the ids of erased visitors, and nothing else may hold any."""

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
    for file in sorted(data.rglob("*")):
        top = file.relative_to(data).parts[0]
        is_own = top in _SEEN_TO or top.startswith("checkpoint") or ".db" in top
        if not is_own and file.is_file() and file.stat().st_size <= _LARGEST:
            yield file


def _erased_words(whose: Whose, file: Path) -> Iterator[str]:
    # One byte is one character, so that nothing in a binary file is passed over.
    text = file.read_bytes().decode("latin-1")
    site = whose.erasure.site_id
    for word in set(words(text)):
        try:
            meant = word.encode("latin-1").decode()
        except UnicodeDecodeError:
            continue
        if whose.is_erased(Named(site, (meant,))):
            yield word


def _blot_out(file: Path, word: bytes) -> int:
    content, place, count = file.read_bytes(), 0, 0
    with file.open("r+b") as writer:
        while (place := content.find(word, place)) >= 0:
            writer.seek(place)
            writer.write(b"*" * len(word))
            place, count = place + len(word), count + 1
    return count
