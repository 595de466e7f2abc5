"""Seeds: what buckets of a new checkpoint begin with, from an earlier checkpoint's state. Pure
but for reading and writing one file a bucket.

A visitor's state is moved as it is. A new bucket's watermark is the smallest of the old buckets'
that it may have visitors from, so nothing becomes late that would not have been.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from contracts import WATERMARK_END, Tally
from spark_jobs.bucket import Header
from spark_jobs.packing import aliased, pack
from spark_jobs.told import RANKS
from spark_jobs.visitor import Published, VisitorState

FOLDER = "seeds"
Stored = tuple[bytes, bytes]
"""A bucket's (header, body), as ``Bucket.stored`` gives it."""

_encode = msgspec.msgpack.Encoder().encode
_read_header = msgspec.msgpack.Decoder(Header).decode
_read_visitor = msgspec.msgpack.Decoder(VisitorState).decode
_read_stored = msgspec.msgpack.Decoder(Stored).decode


class Basis(msgspec.Struct, frozen=True):
    """What all new buckets of a partition begin with: the watermark, and the ledger so far."""

    watermark: int
    tally: Tally


def header_of(header: bytes) -> Header:
    """A stored header."""
    return _read_header(header)


def basis_of(headers: Iterable[Header]) -> Basis:
    """The smallest watermark and the sum of the tallies of at least one bucket."""
    found = list(headers)
    counts = {name: sum(getattr(one.tally, name) for one in found) for name in _COLUMNS}
    return Basis(min(one.watermark for one in found), Tally(**counts))


_COLUMNS = Tally.__struct_fields__


def seed(visitors: Mapping[str, tuple[int, bytes]], basis: Basis, *, is_first: bool) -> Stored:
    """A new bucket with these visitors; a partition's first one takes the ledger over."""
    header = Header(
        watermark=basis.watermark,
        next_deadline=min((due for due, _ in visitors.values()), default=WATERMARK_END),
        tally=basis.tally if is_first else Tally(),
        visitors=len(visitors),
    )
    return _encode(header), pack(dict(visitors))


def rebased(packed: bytes) -> bytes:
    """A visitor's state for topics that begin anew.

    Arrivals are places in a partition and revisions come from them. All that was before counts
    as having arrived at place 0, which the new topics leave to a record that is no event.
    """
    if aliased(packed) is not None:
        return packed
    state = _read_visitor(packed)
    state.events = [msgspec.structs.replace(event, arrival=0) for event in state.events]
    state.published = {
        identifier: Published(one.revision % len(RANKS), one.start)
        for identifier, one in state.published.items()
    }
    state.thinned = dict.fromkeys(state.thinned, 0)
    state.newest = 0
    return _encode(state)


def write_seed(folder: Path, bucket: int, stored: Stored) -> None:
    """One file a bucket, named by its number."""
    draft = folder / f"{bucket}.draft"
    with draft.open("wb") as file:
        file.write(_encode(stored))
        file.flush()
        os.fsync(file.fileno())
    draft.rename(folder / str(bucket))


def seeds_folder(checkpoint: str | Path) -> str:
    """Where a checkpoint's seeds are; "" for one that has none."""
    folder = Path(checkpoint) / FOLDER
    return str(folder.resolve()) if folder.is_dir() else ""


def read_seed(folder: str, bucket: int) -> Stored | None:
    """What the bucket begins with; None for one that begins empty."""
    if not folder:
        return None
    try:
        content = (Path(folder) / str(bucket)).read_bytes()
    except FileNotFoundError:
        return None
    header, body = _read_stored(content)
    return header, body
