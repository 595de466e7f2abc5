"""What can be told of a data folder on which no stack runs."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from contracts.instants import format_instant
from infra.paths import Places
from infra.processes import is_running
from infra.state import is_locked, read_state

PARTS = {
    "history": "history.db",
    "checkpoint": "checkpoint",
    "Kafka's log": "kafka",
    "savepoints": "savepoints",
}
"""What a stack keeps in its data folder, by what people call it."""

_MEBIBYTE = 1024 * 1024


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the data folder: its size, and when it last changed (ms since 1970 UTC)."""

    name: str
    size: int
    changed: int


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """A data folder at rest.

    ``status``: ``starting`` while a stack is being set up, ``killed`` when the last one did not
    end by itself, else ``stopped``. ``left`` are processes of it that still run.
    """

    status: str
    data: str
    left: list[str] = []
    kept: list[Kept] = []


def at_rest(places: Places) -> Rest:
    """The data folder as it is now."""
    state = read_state(places.state_file)
    left = (
        [one.name for one in state.children if one.mark and is_running(one.mark)] if state else []
    )
    status = "killed" if state else "stopped"
    return Rest(
        status="starting" if is_locked(places.lock_file) else status,
        data=str(places.data),
        left=left,
        kept=list(_kept(places)),
    )


def in_words(rest: Rest) -> Iterator[str]:
    """The same in lines for people."""
    if rest.status == "starting":
        yield "A stack is being set up on this data: ask again in a moment."
    if rest.status == "killed":
        running = f"; {', '.join(rest.left)} still run" if rest.left else ""
        yield f"The last stack was killed{running}: `./clickwake stop` tidies up."
    if not rest.kept:
        yield f"{rest.data} holds nothing yet: `./clickwake demo` shows Clickwake at work."
        return
    yield f"{rest.data} keeps"
    for one in rest.kept:
        size = f"{one.size / _MEBIBYTE:,.1f} MB"
        yield f"  {one.name:<12} {size:>12}, last changed {format_instant(one.changed)}"
    yield "It goes on from there with `./clickwake up`, or with sample visitors by `demo`."


def _kept(places: Places) -> Iterator[Kept]:
    for name, place in PARTS.items():
        files = list(_files(places.data / place))
        if files:
            changed = max(time for _, time in files)
            yield Kept(name=name, size=sum(size for size, _ in files), changed=changed)


def _files(path: Path) -> Iterator[tuple[int, int]]:
    """Sizes and times (ms) of a file, SQLite's beside it, or all files of a folder."""
    found = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    for file in found:
        try:
            status = file.stat()
        except OSError:
            continue  # it was just deleted
        if file.is_file():
            yield status.st_size, status.st_mtime_ns // 1_000_000
