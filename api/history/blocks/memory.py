"""Blocks in memory, so that a question reads from the database only what is new. Thread-safe.

Texts become numbers that are the same in all blocks, so that grouping compares numbers only.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from api.history.blocks.columns import TEXTS, Array, Column, Name

MOST_BYTES = 256_000_000
"""Of arrays: the columns that a dashboard shows of some six million sessions."""

MOST_TEXTS = 1_000_000
"""Then all is forgotten: somebody makes up ever new pages."""


class Version(NamedTuple):
    """Which blocks: an hour's, as they were built once."""

    hour: int
    built: int


class Texts:
    """The numbers of a column's texts. Numbers only ever come to it."""

    def __init__(self) -> None:
        self.values: list[str | None] = []
        self._numbers: dict[str | None, int] = {}

    def numbers_of(self, column: Column) -> Array:
        """The column with numbers of here."""
        numbers = [self._number(text) for text in column.texts]
        found: Array = np.array(numbers, np.int32)[column.array]
        return found

    def _number(self, text: str | None) -> int:
        number = self._numbers.setdefault(text, len(self.values))
        if number == len(self.values):
            self.values.append(text)
        return number


Dictionary = Mapping[Name, Texts]


class Memory:
    """The blocks that were asked for last, as many as there is room for."""

    def __init__(self, most_bytes: int = MOST_BYTES, most_texts: int = MOST_TEXTS) -> None:
        self._most_bytes = most_bytes
        self._most_texts = most_texts
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._arrays: OrderedDict[tuple[Version, Name], Array] = OrderedDict()
        self._bytes = 0
        # Whoever still counts keeps the dictionary of before.
        self.dictionary: Dictionary = {name: Texts() for name in TEXTS}

    def begin(self) -> Dictionary:
        """The dictionary to use for a question, all of it."""
        with self._lock:
            if sum(len(texts.values) for texts in self.dictionary.values()) > self._most_texts:
                self._clear()
            return self.dictionary

    def held(
        self, versions: Iterable[Version], name: Name, dictionary: Dictionary
    ) -> dict[Version, Array]:
        """Of a column of that dictionary, the blocks that are here."""
        found: dict[Version, Array] = {}
        with self._lock:
            if dictionary is not self.dictionary:
                return found
            for version in versions:
                array = self._arrays.get((version, name))
                if array is not None:
                    self._arrays.move_to_end((version, name))
                    found[version] = array
        return found

    def keep(self, version: Version, name: Name, column: Column, dictionary: Dictionary) -> Array:
        """Keep a column, with numbers for its texts, and give it back."""
        with self._lock:
            array = dictionary[name].numbers_of(column) if name in dictionary else column.array
            if dictionary is self.dictionary and (version, name) not in self._arrays:
                self._arrays[version, name] = array
                self._bytes += array.nbytes
                while self._bytes > self._most_bytes:
                    _, old = self._arrays.popitem(last=False)
                    self._bytes -= old.nbytes
            return array

    def numbered(self, name: Name, column: Column, dictionary: Dictionary) -> Array:
        """A column's array with numbers for its texts, which is not kept."""
        with self._lock:
            return dictionary[name].numbers_of(column) if name in dictionary else column.array
