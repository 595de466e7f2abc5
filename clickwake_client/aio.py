"""The client for asyncio."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from types import TracebackType
from typing import Self

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from clickwake_client.asking import Asking
from clickwake_client.errors import api_error
from clickwake_client.following import (
    PATIENCE_SECONDS,
    Follower,
    LiveMessage,
    MissedError,
    live_address,
)
from clickwake_client.pace import Backoff
from clickwake_client.paging import PASSING, PATH, Filter, Page, query
from contracts import SessionUpdate


class AsyncClient:
    """``Client`` on an event loop: ``async with AsyncClient() as clickwake``."""

    def __init__(
        self,
        address: str = "http://127.0.0.1:8020",
        *,
        headers: Mapping[str, str] | None = None,
        tries: int = 6,
        timeout: float = 30.0,
    ) -> None:
        self._address = address.rstrip("/")
        self._headers = dict(headers or {})
        self._tries = tries
        self._http = httpx.AsyncClient(base_url=address, headers=self._headers, timeout=timeout)

    async def sessions(
        self, *, page_size: int = 500, **filters: Filter
    ) -> AsyncIterator[SessionUpdate]:
        """``Client.sessions``."""
        cursor: str | None = None
        while True:
            page = await self._page(query(filters, page_size, cursor))
            for session in page.items:
                yield session
            cursor = page.next_cursor
            if cursor is None:
                return

    async def _page(self, parameters: Mapping[str, str]) -> Page:
        asking = Asking(self._address, self._tries)
        while True:
            try:
                answer = await self._http.get(PATH, params=dict(parameters))
            except httpx.TransportError as error:
                wait = asking.failed(error)
            else:
                found = asking.answered(answer.status_code, answer.headers, answer.content)
                if isinstance(found, Page):
                    return found
                wait = found
            await asyncio.sleep(wait)

    async def live(self) -> AsyncGenerator[LiveMessage, None]:
        """``Client.live``. Who leaves early closes it, with ``contextlib.aclosing``."""
        backoff = Backoff()
        while True:
            try:
                async for message in self._connection():
                    backoff.worked()
                    yield message
            except InvalidStatus as error:
                if error.response.status_code not in PASSING:
                    body = bytes(error.response.body or b"")
                    raise api_error(error.response.status_code, body) from None
            except (ConnectionClosed, InvalidHandshake, MissedError, OSError):
                pass  # a TimeoutError is an OSError
            await asyncio.sleep(backoff.failed())

    async def _connection(self) -> AsyncIterator[LiveMessage]:
        follower = Follower()
        address = live_address(self._address)
        async with connect(address, max_size=None, additional_headers=self._headers) as socket:
            while True:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    text = await socket.recv()
                message = follower.take(text)
                if message is not None:
                    yield message

    async def close(self) -> None:
        """Give the connections back."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
