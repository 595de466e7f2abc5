"""A backfill that somebody asks the API for and the supervisor runs: they meet in a folder.

``<id>.order.json`` is the API's, ``<id>.progress.json`` and ``<id>.log`` are the supervisor's.
Each file is written beside its place and moved into it, so nobody reads half of one.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

ORDER, PROGRESS, LOG = ".order.json", ".progress.json", ".log"
T = TypeVar("T", bound=Struct)


class BackfillOrder(Struct, frozen=True, kw_only=True):
    """Sessions that start in [begin, end), ms since 1970 UTC; of one site, or of all."""

    id: str
    asked: int
    begin: int
    end: int
    site: str | None = None

    def arguments(self) -> list[str]:
        """Those of ``./clickwake backfill``."""
        period = ["--from", _written(self.begin), "--to", _written(self.end)]
        return [*period, *(["--site", self.site] if self.site else [])]


class BackfillProgress(Struct, frozen=True, kw_only=True):
    """How far it is. ``ended`` is null while it runs; times are ms since 1970 UTC."""

    state: Literal["running", "done", "failed"]
    started: int
    ended: int | None = None


def _written(instant: int) -> str:
    return f"{datetime.fromtimestamp(instant / 1000, UTC):%Y-%m-%dT%H:%M:%SZ}"


def write_file(file: Path, what: Struct) -> None:
    """Put it into its place as a whole, readable by its owner only."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as output:
        output.write(msgspec.json.encode(what))
    draft.replace(file)


def read_file(file: Path, kind: type[T]) -> T | None:
    """What stands in it; None when there is no such file, or nothing of the kind in it."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def orders_in(folder: Path) -> list[BackfillOrder]:
    """Every order, the newest first."""
    found = (read_file(file, BackfillOrder) for file in folder.glob(f"*{ORDER}"))
    return sorted((one for one in found if one), key=lambda one: (one.asked, one.id), reverse=True)


def progress_of(folder: Path, order_id: str) -> BackfillProgress | None:
    """How far an order is; None when nobody has begun with it."""
    return read_file(folder / f"{order_id}{PROGRESS}", BackfillProgress)
