"""HTTP/1.1 GET at a fraction of a full client's cost, so that a measurement's load generator
leaves the machine to what is measured. Only for our own demo site: answers with a length."""

import asyncio
import time
from collections import deque
from urllib.parse import urlsplit

from infra.traffic.site import KEPT_IDLE_S, TIMEOUT_S, SiteDownError


class Wire:
    """Connections to one site that stay open and are used again."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._idle: deque[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = deque()

    async def get(self, path: str, headers: dict[str, str]) -> int:
        """The answer's status, once its last byte has come. Raises SiteDownError."""
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._host}:{self._port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        request = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")
        try:
            return await asyncio.wait_for(self._exchange(request), TIMEOUT_S)
        except (OSError, EOFError, TimeoutError, ValueError) as error:
            raise SiteDownError(str(error) or type(error).__name__) from error

    def close(self) -> None:
        """Close what is idle."""
        while self._idle:
            self._idle.pop()[2].close()

    async def _exchange(self, request: bytes) -> int:
        reader, writer = await self._connection()
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(body_length(head))
        except BaseException:
            # Half an answer may still be on its way: the connection is of no more use.
            writer.close()
            raise
        self._idle.append((time.monotonic(), reader, writer))
        return int(head[9:12])

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The connection used last, unless the site is about to close it for being idle."""
        while self._idle:
            since, reader, writer = self._idle.pop()
            if time.monotonic() - since < KEPT_IDLE_S:
                return reader, writer
            writer.close()
        return await asyncio.open_connection(self._host, self._port)


def body_length(head: bytes) -> int:
    """An answer's Content-Length. ValueError when it has none."""
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    raise ValueError("the answer has no Content-Length")
