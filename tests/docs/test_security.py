"""docs/security.md names tests that exist."""

import ast
import re

import pytest

from infra.paths import PROJECT

PAGE = (PROJECT / "docs" / "security.md").read_text()
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::([\w:]+)`", PAGE)))


def test_many_tests_are_named() -> None:
    assert len(NAMED) > 25


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_named_test_exists(file: str, name: str) -> None:
    tree = ast.parse((PROJECT / file).read_text())
    found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert name.rpartition("::")[2] in found


def test_each_item_stands_once() -> None:
    rows = re.findall(r"^\| (\d[\d., –]+) \|", PAGE, re.MULTILINE)
    items = [item for row in rows for item in re.findall(r"\d+\.\d+\.\d+", row)]
    assert len(items) == len(set(items))
