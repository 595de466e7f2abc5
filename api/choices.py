"""Values that a question asks for, and those that it excludes: the same in history and live.

A value that begins with ``!`` excludes. One that begins so itself has each of these first ``!``
written twice, so ``!!a`` is the value ``!a`` and ``!!!a`` excludes it.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

EXCLUDES = "!"


class Choice(Struct, frozen=True):
    """Any of ``wanted``, or anything if there are none; and none of ``excluded``."""

    wanted: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.wanted or self.excluded)

    def takes(self, value: str) -> bool:
        """Whether a value is chosen."""
        return value not in self.excluded and (not self.wanted or value in self.wanted)


def choice_of(texts: Iterable[str], read: Callable[[str], str] = str) -> Choice:
    """What these texts choose; ``read`` makes a value of the text without what excludes it."""
    wanted: set[str] = set()
    excluded: set[str] = set()
    for text in texts:
        value, is_excluded = parted(text)
        (excluded if is_excluded else wanted).add(read(value))
    return Choice(frozenset(wanted), frozenset(excluded))


def parted(text: str) -> tuple[str, bool]:
    """The value that a text means, and whether it excludes it."""
    rest = text.lstrip(EXCLUDES)
    marks, is_excluded = divmod(len(text) - len(rest), 2)
    return EXCLUDES * marks + rest, bool(is_excluded)


def written(value: str) -> str:
    """The text that means this value."""
    marks = len(value) - len(value.lstrip(EXCLUDES))
    return EXCLUDES * marks + value
