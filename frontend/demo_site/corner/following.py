"""One visitor's sessions and events, read from the API's live channel by the shop itself.

The browser asks the shop alone: the API is another origin, and may need a key that no page may
have. The shop's server has the key and passes on what the corner shows.
"""

from collections.abc import AsyncIterator

import httpx
import msgspec

from contracts.live import ServerMessage

PATH = "/api/v1/live"
SILENCE_S = 30.0
"""The channel has a heartbeat: whoever is silent for longer is gone."""
TIMEOUT = httpx.Timeout(5.0, read=SILENCE_S)

_decoder = msgspec.json.Decoder(ServerMessage)


class ApiAwayError(Exception):
    """The API does not tell of sessions now: it is asked again in a moment."""


class Api:
    """The API of ``address``, asked with ``headers``. An empty address: there is none."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        self.address = address.rstrip("/")
        self._client = httpx.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=False)

    async def messages(self, visitor_id: str) -> AsyncIterator[ServerMessage]:
        """The live channel's messages about one visitor, until it ends. Raises ApiAwayError."""
        asked = {"topics": "sessions,events", "visitor": visitor_id}
        try:
            async with self._client.stream("GET", self.address + PATH, params=asked) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise ApiAwayError(f"the API answers {answer.status_code}")
                async for line in answer.aiter_lines():
                    if line.startswith('data: {"type"'):
                        yield _decoder.decode(line[6:])
        except (httpx.HTTPError, msgspec.MsgspecError) as error:
            raise ApiAwayError(str(error) or type(error).__name__) from error

    async def get(self, path: str) -> bytes:
        """The body of a good answer. Raises ApiAwayError."""
        try:
            answer = await self._client.get(self.address + path)
        except httpx.HTTPError as error:
            raise ApiAwayError(str(error) or type(error).__name__) from error
        if answer.status_code != httpx.codes.OK:
            raise ApiAwayError(f"the API answers {answer.status_code}")
        return answer.content

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()
