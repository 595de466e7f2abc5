"""A fixed number of requests a second, for measurements: an open loop that never waits."""

import asyncio
import logging
import time
from random import Random

from infra.traffic.journeys import Step
from infra.traffic.people import Person, person
from infra.traffic.places import Place
from infra.traffic.runner import report
from infra.traffic.site import Browser, Site, SiteDownError

log = logging.getLogger("clickwake.traffic")

VISITORS = 400
PATHS = ("/", "/about", "/category/kitchen", "/category/desk", "/product/tall-mug", "/cart")
MOST_WAITING = 1000
CATCH_UP_S = 0.5


class Pace:
    """Sends request after request at its due time, whether or not earlier ones are answered.

    Falling behind by more than half a second gives the time up instead of bunching requests.
    """

    def __init__(self, rate: float, site: Site, places: list[Place], rng: Random) -> None:
        self._gap_s, self._site, self._rng = 1 / rate, site, rng
        people: list[Person] = [person(places, rng) for _ in range(VISITORS)]
        self._browsers = [Browser(site, somebody) for somebody in people]
        self._waiting = 0

    async def run(self) -> None:
        """Until cancelled."""
        await self._site.until_up()
        async with asyncio.TaskGroup() as group:
            group.create_task(report(self._site, lambda: self._waiting))
            due = time.monotonic()
            while True:
                if self._waiting < MOST_WAITING:
                    group.create_task(self._request())
                due = max(due + self._gap_s, time.monotonic() - CATCH_UP_S)
                await asyncio.sleep(max(0.0, due - time.monotonic()))

    async def _request(self) -> None:
        self._waiting += 1
        try:
            await self._rng.choice(self._browsers).open(Step("GET", self._rng.choice(PATHS)))
        except SiteDownError:
            pass  # Counted by the site; the pace goes on.
        finally:
            self._waiting -= 1
