"""The client for programs without an event loop."""

import time
from collections.abc import Generator, Iterator, Mapping
from types import TracebackType
from typing import Self

import httpx
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import connect

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


class Client:
    """Talks to the API at ``address``. ``headers`` go with each request, as a proxy's log-in may
    ask; ``tries`` is how often a page is asked for while the API is away or busy.

    A context manager: ``with Client() as clickwake``. Not for use by several threads.
    """

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
        self._http = httpx.Client(base_url=address, headers=self._headers, timeout=timeout)

    def sessions(self, *, page_size: int = 500, **filters: Filter) -> Iterator[SessionUpdate]:
        """All sessions that the filters leave, newest first, page by page.

        Filters are the parameters of ``GET /api/v1/sessions``; ``from_`` stands for ``from``.
        Raises ApiError when it refuses, UnreachableError when it stays away.
        """
        cursor: str | None = None
        while True:
            page = self._page(query(filters, page_size, cursor))
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def _page(self, parameters: Mapping[str, str]) -> Page:
        asking = Asking(self._address, self._tries)
        while True:
            try:
                answer = self._http.get(PATH, params=dict(parameters))
            except httpx.TransportError as error:
                wait = asking.failed(error)
            else:
                found = asking.answered(answer.status_code, answer.headers, answer.content)
                if isinstance(found, Page):
                    return found
                wait = found
            time.sleep(wait)

    def live(self) -> Generator[LiveMessage, None, None]:
        """What happens now, for ever: a snapshot, then updates and heartbeats.

        After a lost connection it connects again, with growing pauses, and begins with another
        snapshot, which stands for all that was missed. Raises ApiError when the API refuses.
        """
        backoff = Backoff()
        while True:
            try:
                for message in self._connection():
                    backoff.worked()
                    yield message
            except InvalidStatus as error:
                if error.response.status_code not in PASSING:
                    body = bytes(error.response.body or b"")
                    raise api_error(error.response.status_code, body) from None
            except (ConnectionClosed, InvalidHandshake, MissedError, OSError):
                pass  # a TimeoutError is an OSError
            time.sleep(backoff.failed())

    def _connection(self) -> Iterator[LiveMessage]:
        follower = Follower()
        address = live_address(self._address)
        with connect(address, max_size=None, additional_headers=self._headers) as socket:
            while True:
                message = follower.take(socket.recv(timeout=PATIENCE_SECONDS))
                if message is not None:
                    yield message

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
