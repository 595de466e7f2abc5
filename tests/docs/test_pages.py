"""What the pages say exists: files, settings, commands, tests, JSON that its contract reads."""

import json
import re
from pathlib import Path

import msgspec
import pytest
import typer

from contracts import RequestEvent
from infra.cli import app
from infra.paths import PROJECT
from tests.docs import test_commands
from tests.docs.test_configuration import PAGE as CONFIGURATION
from tests.docs.test_configuration import SOURCES, VARIABLE
from tests.support.pages import PAGES, Block, all_blocks, links

COMMANDS = set(typer.main.get_group(app).commands)
CALLED = re.compile(r"(?:^\t?@?|`)(?:\./)?clickwake ([a-z]+)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    inside = [link for link in links(page) if not re.match(r"[a-z]+:", link)]
    for link in inside:
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in _anchors(target), f"{page.name}: {link}"


def _anchors(page: Path) -> set[str]:
    """GitHub's: lower case, without punctuation, dashes for blanks."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_settings_that_pages_name_exist(page: Path) -> None:
    assert set(VARIABLE.findall(page.read_text())) <= set(VARIABLE.findall(CONFIGURATION))


@pytest.mark.parametrize("block", all_blocks("json"), ids=str)
def test_json_is_valid(block: Block) -> None:
    found = json.loads(block.text)
    if "event_id" in found:
        assert msgspec.json.decode(block.text, type=RequestEvent).event_id
        fields = msgspec.structs.fields(RequestEvent)
        assert set(found) == {one.name for one in fields if one.default is not msgspec.UNSET}


@pytest.mark.parametrize("block", all_blocks("sh"), ids=str)
def test_a_block_is_run_or_says_why_not(block: Block) -> None:
    if block.marker == "tested by":
        assert callable(getattr(test_commands, block.note)), f"{block} names no test"
    elif block.marker == "not run":
        assert len(block.note) > 20, f"{block} gives no reason"


def test_commands_that_anyone_names_exist() -> None:
    texts = [file.read_text() for file in (*PAGES, *SOURCES, PROJECT / "Makefile")]
    assert {name for text in texts for name in CALLED.findall(text)} <= COMMANDS


def test_every_command_is_documented() -> None:
    page = (PROJECT / "docs" / "operations.md").read_text()
    table = re.findall(r"^\| (`\./clickwake .+?) \|", page, re.MULTILINE)
    named = {name for row in table for name in re.findall(r"`(?:\./clickwake )?([a-z]+)`", row)}
    assert named == COMMANDS


def test_the_glossary_is_sorted_and_has_every_word_for_what_is_not_counted() -> None:
    page = (PROJECT / "docs" / "glossary.md").read_text()
    words = re.findall(r"^\| \*\*(.+?)\*\*", page, re.MULTILINE)
    assert words == sorted(words, key=str.lower)
    assert {"late event", "dead letter", "duplicate", "cut", "dropped", "lost"} <= set(words)
