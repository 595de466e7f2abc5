"""The documentation's pages: their code blocks and their links."""

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import msgspec

from infra.paths import PROJECT

PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "tests/fixtures/*.md", "frontend/*/*.md")
    for page in PROJECT.glob(pattern)
)
MARKER = re.compile(r"<!-- (tested by|not run): (.+) -->")
LINK = re.compile(r"(?:\]\(|src=\"|srcset=\")([^)\s\"]+)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class Block(msgspec.Struct, frozen=True):
    """A fenced code block.

    A comment line right before it may name the test that runs it, or say why nothing does;
    without one it is run as written.
    """

    page: str
    line: int
    language: str
    text: str
    marker: str | None = None
    note: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """A page's code blocks, in order."""
    marker = None
    lines = iter(enumerate(page.read_text().splitlines(), start=1))
    for number, line in lines:
        if line.startswith("```"):
            inner = takewhile(lambda one: one[1] != "```", lines)
            text = "".join(f"{written}\n" for _, written in inner)
            kind, note = marker.groups() if marker else (None, "")
            yield Block(page.name, number, line[3:], text, kind, note)
        marker = MARKER.fullmatch(line)


def all_blocks(language: str) -> list[Block]:
    """All pages' code blocks in a language."""
    return [one for page in PAGES for one in blocks(page) if one.language == language]


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures, outside of code."""
    return LINK.findall(FENCE.sub("", page.read_text()))
