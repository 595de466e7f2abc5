"""A bucket's visitors as the bytes that Spark keeps, in pages; only touched ones are opened.

Spark hands the whole of a bucket to Python and back, and writes it to the checkpoint, whenever
one visitor of it clicks. So it is squeezed: visitors resemble each other, and a fifth of the
bytes holds them. And it is split, as squeezing a thousand visitors for one click takes a
millisecond.
"""

from collections.abc import Iterator
from zlib import crc32

import msgspec
import pyarrow as pa

Visitors = dict[str, tuple[int, bytes]]
"""Visitor's key → (deadline, packed state or alias)."""

PER_PAGE = 64
"""Visitors of a page, about; a page of fewer takes more room for each."""
PAGE_BYTES = 32_768
"""And about its size before squeezing, which long sessions reach with fewer visitors."""
SMALL = 1_024
"""Bytes below which squeezing costs more than it saves."""
_LEVEL = 1
_SQUEEZED, _PAGED = b"\x01", b"\x02"
"""Begin what is squeezed and what is in pages. Messagepack's maps begin with 0x80 or more."""
_SIZE_BYTES = 4


class Page(msgspec.Struct, array_like=True, frozen=True):
    """``due`` is the smallest deadline of its visitors, ``count`` how many there are."""

    due: int
    count: int
    content: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Visitors).decode
_decode_pages = msgspec.msgpack.Decoder(list[Page]).decode
_read_name = msgspec.msgpack.Decoder(str).decode
_TEXT = frozenset([*range(0xA0, 0xC0), 0xD9, 0xDA, 0xDB])
"""First bytes of messagepack's texts."""
_codec = pa.Codec("zstd", compression_level=_LEVEL)


def pack(visitors: Visitors) -> bytes:
    """The visitors as bytes; empty for none."""
    shelf = Shelf(b"")
    for key, (due, packed) in visitors.items():
        shelf.put(key, due, packed)
    return shelf.pack()


def unpack(body: bytes) -> Visitors:
    """The inverse of ``pack``; reads what older versions wrote, too."""
    if body[:1] != _PAGED:
        return _unsqueezed(body)
    pages = _decode_pages(memoryview(body)[1:])
    return {key: one for page in pages for key, one in _unsqueezed(page.content).items()}


def alias(name: str) -> bytes:
    """What is kept of a visitor under one of its further names: the name under which it is."""
    return _encode(name)


def aliased(packed: bytes) -> str | None:
    """The name that the alias means; None for a visitor's state, which is no text but a list."""
    return _read_name(packed) if packed[0] in _TEXT else None


class Shelf:
    """The visitors of one bucket while it is worked on."""

    def __init__(self, body: bytes) -> None:
        self._pages: list[Page] = []
        self._open: dict[int, Visitors] = {}
        self._changed: set[int] = set()
        if body[:1] == _PAGED:
            self._pages = _decode_pages(memoryview(body)[1:])
        else:
            self._spread(unpack(body))

    def __len__(self) -> int:
        closed = sum(one.count for n, one in enumerate(self._pages) if n not in self._open)
        return closed + sum(map(len, self._open.values()))

    def get(self, key: str) -> bytes | None:
        """A visitor's packed state."""
        found = self._page(self._number(key)).get(key)
        return found[1] if found else None

    def put(self, key: str, due: int, packed: bytes) -> None:
        """Keep a visitor's state, and when it has to be looked at."""
        number = self._number(key)
        self._page(number)[key] = (due, packed)
        self._changed.add(number)

    def drop(self, key: str) -> None:
        """Forget a visitor, if it is known."""
        number = self._number(key)
        if self._page(number).pop(key, None) is not None:
            self._changed.add(number)

    def overdue(self, watermark: int) -> list[str]:
        """Whose deadline is before the watermark."""
        return [
            key
            for number, page in enumerate(self._pages)
            if number in self._open or page.due < watermark
            for key, (due, _) in self._page(number).items()
            if due < watermark
        ]

    def pack(self) -> bytes:
        """What ``Shelf`` begins with the next time; empty for no visitors."""
        count = len(self)
        if not count:
            return b""
        self._close()
        wanted = self._fitting(count)
        if not len(self._pages) / 4 <= wanted <= 2 * len(self._pages):
            whole = {key: one for page in self._all() for key, one in page.items()}
            self._spread(whole, wanted)
            self._close()
        return _PAGED + _encode(self._pages)

    def next_due(self, never: int) -> int:
        """The smallest deadline; ``never`` when there is no visitor."""
        closed = [one.due for n, one in enumerate(self._pages) if one.count and n not in self._open]
        opened = [due for page in self._open.values() for due, _ in page.values()]
        return min([*closed, *opened], default=never)

    def _number(self, key: str) -> int:
        return crc32(key.encode()) % len(self._pages)

    def _page(self, number: int) -> Visitors:
        page = self._open.get(number)
        if page is None:
            page = self._open[number] = _unsqueezed(self._pages[number].content)
        return page

    def _all(self) -> Iterator[Visitors]:
        return map(self._page, range(len(self._pages)))

    def _close(self) -> None:
        for number in self._changed:
            self._pages[number] = _page_of(self._open[number])
        self._changed.clear()

    def _fitting(self, count: int) -> int:
        """How many pages would be right for so many visitors of these sizes."""
        size = sum(_plain_size(page.content) for page in self._pages)
        return max(1, count // PER_PAGE, min(count, size // PAGE_BYTES))

    def _spread(self, visitors: Visitors, pages: int = 1) -> None:
        self._pages = [Page(0, 0, b"")] * pages
        self._open = {number: {} for number in range(pages)}
        for key, one in visitors.items():
            self._open[self._number(key)][key] = one
        self._changed = set(range(pages))


def _page_of(visitors: Visitors) -> Page:
    plain = _encode(visitors) if visitors else b""
    due = min((due for due, _ in visitors.values()), default=0)
    return Page(due, len(visitors), _squeezed(plain))


def _squeezed(plain: bytes) -> bytes:
    if len(plain) < SMALL:
        return plain
    squeezed: bytes = _codec.compress(plain, asbytes=True)
    return _SQUEEZED + len(plain).to_bytes(_SIZE_BYTES, "big") + squeezed


def _plain_size(content: bytes) -> int:
    if content[:1] != _SQUEEZED:
        return len(content)
    return int.from_bytes(content[len(_SQUEEZED) :][:_SIZE_BYTES], "big")


def _unsqueezed(content: bytes) -> Visitors:
    if not content:
        return {}
    if content[:1] != _SQUEEZED:
        return _decode(content)
    begin = len(_SQUEEZED) + _SIZE_BYTES
    size = int.from_bytes(content[len(_SQUEEZED) : begin], "big")
    plain: bytes = _codec.decompress(memoryview(content)[begin:], size, asbytes=True)
    return _decode(plain)
