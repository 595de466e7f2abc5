"""A fixed number of requests a second, for measurements: an open loop that never waits."""

import asyncio
import logging
import time
from random import Random

import msgspec

from infra.traffic.people import Person, person
from infra.traffic.places import Place
from infra.traffic.runner import report
from infra.traffic.site import Site, SiteDownError
from infra.traffic.wire import Wire

log = logging.getLogger("clickwake.traffic")

VISITORS = 400
PATHS = ("/about", "/search", "/cart", "/login", "/signup", "/category/desk", "/product/tall-mug")
MOST_WAITING = 1000
CATCH_UP_S = 0.5


class Pace:
    """Sends request after request at its due time, whether or not earlier ones are answered.

    Falling behind by more than half a second gives the time up instead of bunching requests;
    the report says how many were sent in fact.
    """

    def __init__(self, rate: float, site: Site, places: list[Place], rng: Random) -> None:
        self._gap_s, self._site, self._rng = 1 / rate, site, rng
        self._wire = Wire(site.target)
        self._people: list[Person] = [_counted(person(places, rng)) for _ in range(VISITORS)]
        self._waiting = 0

    async def run(self) -> None:
        """Until cancelled."""
        await self._site.until_up()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(report(self._site, lambda: self._waiting))
                await self._send(group)
        finally:
            self._wire.close()

    async def _send(self, group: asyncio.TaskGroup) -> None:
        due = time.monotonic()
        while True:
            if self._waiting < MOST_WAITING:
                group.create_task(self._request())
            due = max(due + self._gap_s, time.monotonic() - CATCH_UP_S)
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _request(self) -> None:
        counts = self._site.counts
        counts.requests += 1
        self._waiting += 1
        try:
            somebody, path = self._rng.choice(self._people), self._rng.choice(PATHS)
            counts.refused += await self._wire.get(path, somebody.headers) >= 500
        except SiteDownError:
            counts.errors += 1
        finally:
            self._waiting -= 1


def _counted(somebody: Person) -> Person:
    """Without the wish not to be logged, which the demo site grants: all requests are measured."""
    headers = {k: v for k, v in somebody.headers.items() if k not in {"DNT", "Sec-GPC"}}
    return msgspec.structs.replace(somebody, headers=headers)
