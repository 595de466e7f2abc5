"""What the studio can make happen once: a flash crowd, phones from a tunnel, a fast clock."""

import time
from collections.abc import Callable

import httpx
import msgspec

from contracts import RequestEvent
from contracts.steering import Act, ActKind
from infra.traffic.strangers import Whence, from_a_tunnel, with_a_fast_clock

EVENTS = "/api/v1/events"
TIMEOUT_S = 30.0

Crowd = Callable[[int, float], None]
"""Lets so many people come within so many seconds."""
Make = Callable[[Act, int, Whence], list[RequestEvent]]

MADE: dict[ActKind, Make] = {"tunnel": from_a_tunnel, "fast_clock": with_a_fast_clock}


class Acts:
    """Performs them, and says in a sentence what came of each."""

    def __init__(self, crowd: Crowd, whence: Whence, api: str, headers: dict[str, str]) -> None:
        self._crowd, self._whence, self._api, self._headers = crowd, whence, api, headers

    async def perform(self, act: Act) -> str:
        """Do it; what can be said of it then."""
        if act.kind == "crowd":
            self._crowd(act.people, act.seconds)
            return f"{act.people} people come within {act.seconds} s."
        now = time.time_ns() // 1_000_000
        return await self._send(MADE[act.kind](act, now, self._whence))

    async def _send(self, events: list[RequestEvent]) -> str:
        headers = self._headers | {"Content-Type": "application/json"}
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:
                answer = await client.post(
                    self._api + EVENTS, content=msgspec.json.encode(events), headers=headers
                )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"The API did not take {len(events)} events: {error or type(error).__name__}."
        if answer.status_code != httpx.codes.OK:
            return f"The API did not take {len(events)} events: it answers {answer.status_code}."
        return f"Kafka has {len(events)} events that phones sent through the API."
