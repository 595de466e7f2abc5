"""The history's sessions, asked for over its API."""

import json
import os
from collections.abc import Iterator
from http.client import HTTPException
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import msgspec

from contracts import SessionUpdate
from contracts.client import key_headers

PAGE = 1_000
TIMEOUT_S = 60
POLL_S = 0.2


class HistoryError(Exception):
    """The history cannot be read. The message says why and what to do."""


class Page(msgspec.Struct):
    """A page of ``GET /api/v1/sessions``."""

    items: list[SessionUpdate]
    next_cursor: str | None


class KeptSessions:
    """Sessions that started in [begin, end) as the history behind ``api`` keeps them."""

    def __init__(self, api: str, begin: int, end: int, site: str | None) -> None:
        self._api = api.rstrip("/")
        self._query = {"from": begin, "to": end, "limit": PAGE} | ({"site": site} if site else {})

    def __iter__(self) -> Iterator[SessionUpdate]:
        cursor: str | None = ""
        while cursor is not None:
            query = self._query | ({"cursor": cursor} if cursor else {})
            page = self._page(f"{self._api}/api/v1/sessions?{urlencode(query)}")
            yield from page.items
            cursor = page.next_cursor

    def _page(self, address: str) -> Page:
        try:
            return msgspec.json.decode(_get(address), type=Page)
        except msgspec.MsgspecError as error:
            raise HistoryError(
                f"{self._api} does not answer like Clickwake's API ({error}): check --api"
            ) from None


def await_epoch(api: str, session_id: str, epoch: int, patience_s: float) -> bool:
    """Wait until the history has the session from ``epoch`` on, or one that took it in."""
    deadline = monotonic() + patience_s
    address = f"{api.rstrip('/')}/api/v1/sessions/{session_id}"
    while monotonic() < deadline:
        try:
            if _session(address).get("epoch", 0) >= epoch:
                return True
        except HistoryError:
            pass  # not there yet, or the API is just restarting
        sleep(POLL_S)
    return False


def _session(address: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_get(address))["session"]
    return found


def _get(address: str) -> bytes:
    asked = Request(address, headers=key_headers(os.environ))  # noqa: S310 (checked at the start)
    try:
        with urlopen(asked, timeout=TIMEOUT_S) as answer:  # noqa: S310
            body: bytes = answer.read()
            return body
    except HTTPError as error:
        raise HistoryError(f"the history answers {error.code} to {address}") from None
    except (URLError, OSError, HTTPException) as error:
        raise HistoryError(
            f"no history answers at {address} ({error}): start the stack, or name the API "
            "with --api URL"
        ) from None
