"""Read the processes' log files."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from infra.errors import InfraError
from infra.paths import Places

POLL_SECONDS = 0.25


def show(here: Places, name: str | None, lines: int, follow: bool) -> None:
    """Print the last lines of one log or of all, and go on with ``follow`` until Ctrl-C."""
    files = _files(here, name)
    opened = [(file.stem, file.open("rb")) for file in files]
    for title, log in opened:
        for line in tail(log, lines):
            _print(title, line, len(files) > 1)
    while follow:
        for title, log in opened:
            for grown in log:
                _print(title, grown.decode(errors="replace").rstrip("\n"), len(files) > 1)
        sys.stdout.flush()
        time.sleep(POLL_SECONDS)


def _files(here: Places, name: str | None) -> list[Path]:
    found = sorted(here.logs.glob("*.log"))
    if name is not None:
        found = [file for file in found if file.stem == name]
    if not found:
        what = f"log named {name!r}" if name else "log"
        raise InfraError(f"There is no {what} in {here.logs}.")
    return found


def tail(log: BinaryIO, count: int, block: int = 65_536) -> Iterator[str]:
    """The last ``count`` lines; the file is then at its end. Reads no more than it must."""
    size = log.seek(0, 2)
    start = size
    text = b""
    while start > 0 and text.count(b"\n") <= count:
        start = max(0, start - block)
        log.seek(start)
        text = log.read(size - start)
    log.seek(size)
    lines = text.decode(errors="replace").splitlines()
    yield from lines[max(0, len(lines) - count) :]


def _print(title: str, line: str, is_one_of_many: bool) -> None:
    print(f"{title:<11} {line}" if is_one_of_many else line)
