"""A bucket without erased visitors. Pure.

A visitor is erased under every name: when one of its names is, all are.
"""

from collections.abc import Iterable, Iterator

import msgspec

from contracts import WATERMARK_END
from contracts.erasures import mark_of
from spark_jobs.packing import Visitors, aliased, pack, unpack
from spark_jobs.seeds import Stored, header_of
from spark_jobs.visitor import VisitorState

_read = msgspec.msgpack.Decoder(VisitorState).decode
_encode = msgspec.msgpack.Encoder().encode


class Erased(msgspec.Struct):
    """Who is erased. ``marks`` grows by the names that turn out to be the same visitor's."""

    site_id: str
    key: str
    marks: set[str]

    def adopt(self, names: Iterable[str]) -> bool:
        """Whether one of a visitor's names is erased; then all of them are."""
        marks = {mark_of(self.key, self.site_id, name) for name in names}
        if self.marks.isdisjoint(marks):
            return False
        self.marks |= marks
        return True


def count_in(stored: Stored, erased: Erased) -> int:
    """How many names of erased visitors the bucket knows."""
    return len(_owned(unpack(stored[1]), erased))


def without(stored: Stored, erased: Erased) -> tuple[Stored, int]:
    """The bucket without them, else as it was, and how many names went."""
    visitors = unpack(stored[1])
    gone = _owned(visitors, erased)
    if not gone:
        return stored, 0
    kept = {key: one for key, one in visitors.items() if key not in gone}
    header = header_of(stored[0])
    header.visitors = len(kept)
    header.next_deadline = min((due for due, _ in kept.values()), default=WATERMARK_END)
    return (_encode(header), pack(kept)), len(gone)


def _owned(visitors: Visitors, erased: Erased) -> set[str]:
    """The keys of erased visitors, and of what points to them."""
    owners = {key for key, names in _names(visitors, erased.site_id) if erased.adopt(names)}
    prefix = f"{erased.site_id}/"
    aliases = {
        key
        for key, (_, packed) in visitors.items()
        if key.startswith(prefix) and f"{prefix}{aliased(packed)}" in owners
    }
    return owners | aliases


def _names(visitors: Visitors, site_id: str) -> Iterator[tuple[str, list[str]]]:
    prefix = f"{site_id}/"
    for key, (_, packed) in visitors.items():
        if key.startswith(prefix) and aliased(packed) is None:
            yield key, [key.removeprefix(prefix), *_read(packed).names]
