"""The order of these tests among the others."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Last: they leave sessions in the shared stack, and the browser's tests want it fresh."""
    items.sort(key=lambda item: HERE in item.path.parents)
