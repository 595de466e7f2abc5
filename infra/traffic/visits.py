"""Visits and crawls: plans carried out at a human pace."""

import asyncio
import re
from random import Random

import msgspec

from infra.traffic.journeys import (
    Act,
    Step,
    changes,
    landing,
    links,
    plan,
    steps,
    think_s,
    told_by_page,
)
from infra.traffic.people import Person, entry
from infra.traffic.site import Browser, Site

SCRIPT_PAUSE_S = (0.05, 0.3)
CRAWL_PAUSE_S = (4.0, 20.0)
CRAWLED_PAGES = 40
REVIEW_NUMBER = re.compile(r'^\{"id":(\d+),')


class Arrival(msgspec.Struct, frozen=True):
    """Where a visit begins, and the page that led there."""

    path: str
    referrer: str


class Visit:
    """One person's visit to the site. It begins anywhere unless ``arrival`` says where."""

    def __init__(
        self,
        site: Site,
        person: Person,
        rng: Random,
        speed: float,
        arrival: Arrival | None = None,
    ) -> None:
        self._arrival = arrival
        self._site, self._browser = site, Browser(site, person)
        self._rng, self._speed = rng, speed
        self._known: list[str] = []
        self._looked_s = 0.0

    async def run(self) -> None:
        """From landing to leaving. Raises SiteDownError."""
        for act in plan(self._rng):
            await self._do(act)
        await self._look(think_s(self._rng))
        await self._leave()

    async def _do(self, act: Act) -> None:
        if act == "land":
            await self._land()
            return
        for step in steps(act, self._browser.here, self._known, self._rng):
            body = await self._take(step)
            written = REVIEW_NUMBER.match(body) if step.path.startswith("/api/products/") else None
            for change in changes(int(written[1]), self._rng) if written else ():
                await self._take(change)

    async def _land(self) -> None:
        arrival = self._arrival or self._somewhere()
        answer = await self._browser.open(Step("GET", arrival.path), arrival.referrer)
        await self._read(answer.text)

    def _somewhere(self) -> Arrival:
        source = entry(self._rng)
        return Arrival(landing(source.query, self._site.known, self._rng), source.referrer)

    async def _take(self, step: Step) -> str:
        await self._look(step.pause_s)
        if not step.path.startswith("/api/"):
            custom = told_by_page(step)
            if custom:
                await self._browser.report("custom", **custom)
            await self._leave()
        answer = await self._browser.open(step)
        await self._read(answer.text)
        return answer.text

    async def _read(self, page: str) -> None:
        """What the page's own script does, and what its links make known."""
        self._known = links(page) or self._known
        self._site.learn(self._known)
        if self._browser.here.startswith("/product/") and 'class="reviews"' in page:
            await self._pause(self._rng.uniform(*SCRIPT_PAUSE_S))
            product = self._browser.here.removeprefix("/product/")
            await self._browser.open(Step("GET", f"/api/products/{product}/reviews"))

    async def _look(self, seconds: float) -> None:
        await self._pause(seconds)
        self._looked_s += seconds / self._speed

    async def _leave(self) -> None:
        """The page's script tells for how long it was looked at, if that was a second."""
        looked_ms, self._looked_s = round(self._looked_s * 1000), 0.0
        if looked_ms >= 1_000:
            await self._browser.report("engagement", engaged_ms=looked_ms)

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self._speed)


async def crawl(
    site: Site, robot: Person, rng: Random, speed: float, pages: int = CRAWLED_PAGES
) -> None:
    """A robot's round: robots.txt, then page after page, steadily. Raises SiteDownError."""
    await site.send(Step("GET", "/robots.txt"), robot.headers)
    known = ["/"]
    for _ in range(pages):
        await asyncio.sleep(rng.uniform(*CRAWL_PAUSE_S) / speed)
        answer = await site.send(Step("GET", rng.choice(known)), robot.headers)
        known = list(dict.fromkeys([*known, *links(answer.text)]))
