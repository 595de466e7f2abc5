"""API keys in a test."""

import time
from pathlib import Path

from api.access import store
from api.access.scopes import Scope
from tests.support.history import new_history


def new_key(
    folder: Path, *scopes: Scope, site: str | None = None, expires: int | None = None
) -> str:
    """A key of the API that keeps its history in ``folder``."""
    engine = new_history(folder)
    wish = store.KeyWish("a test's", frozenset(scopes), site, expires)
    with engine.begin() as connection:
        made = store.create_key(connection, wish, time.time_ns() // 1_000_000)
    engine.dispose()
    return made.text


def bearer(key: str) -> dict[str, str]:
    """The header that shows a key."""
    return {"Authorization": f"Bearer {key}"}
