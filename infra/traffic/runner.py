"""Keeps visitors coming: arrivals at random moments, bounded numbers, a report a minute."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any

from infra.traffic.acts import Acts
from infra.traffic.dial import Dial, Steering
from infra.traffic.people import Person, crawler, person
from infra.traffic.places import Place, countries_of, within
from infra.traffic.settings import TrafficSettings, api_headers
from infra.traffic.site import Counts, Site, SiteDownError
from infra.traffic.strangers import Whence
from infra.traffic.visits import Arrival, Visit, crawl

log = logging.getLogger("clickwake.traffic")

MOST_AT_ONCE = 500
REMEMBERED = 200
RETURNING = 0.18
REPORT_S = 60.0
CRAWL_REST_S = (20.0, 90.0)
PASSING_PAGES = 5
"""Of a crawler that only passes; the others walk the whole site."""
CROWD = Arrival("/product/harbour-kettle", "https://news.ycombinator.com/")


class Runner:
    """Runs until it is cancelled."""

    def __init__(
        self, settings: TrafficSettings, site: Site, places: list[Place], rng: Random
    ) -> None:
        self._settings, self._site, self._places, self._rng = settings, site, places, rng
        self._past: deque[Person] = deque(maxlen=REMEMBERED)
        self._on_site = 0
        self._is_up, self._is_silent = asyncio.Event(), asyncio.Event()
        self._dial = Dial(settings.visitors_per_minute, countries_of(places))
        self._crowd: asyncio.Queue[float] = asyncio.Queue()

    async def run(self) -> None:
        """People, crawlers and the report, side by side."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch())
            group.create_task(report(self._site, lambda: self._on_site))
            for _ in range(self._settings.crawlers):
                group.create_task(self._crawl())
            group.create_task(self._arrivals(group))
            group.create_task(self._crowds(group))
            if self._settings.steering:
                group.create_task(self._steered())

    async def _watch(self) -> None:
        """The one place that asks a silent site whether it is back."""
        while True:
            await self._site.until_up()
            self._is_up.set()
            await self._is_silent.wait()
            self._is_silent.clear()

    async def _steered(self) -> None:
        settings = self._settings
        whence = Whence(self._places, self._rng, settings.site_id)
        acts = Acts(self._invite, whence, settings.api, api_headers())
        steering = Steering(Path(settings.steering), self._dial, acts.perform)
        await steering.run(lambda: self._on_site, lambda: self._site.requests)

    async def _arrivals(self, group: asyncio.TaskGroup) -> None:
        while True:
            await self._is_up.wait()
            if await self._dial.wait(self._rng) and self._on_site < MOST_AT_ONCE:
                is_bot = self._rng.random() < self._dial.wish.bots
                group.create_task(self._pass_by() if is_bot else self._visit(self._somebody()))

    def _invite(self, people: int, seconds: float) -> None:
        """Let a crowd come: each at a moment of its own within that time."""
        for _ in range(people):
            self._crowd.put_nowait(self._rng.uniform(0, seconds))

    async def _crowds(self, group: asyncio.TaskGroup) -> None:
        while True:
            after_s = await self._crowd.get()
            group.create_task(self._come(after_s))

    async def _come(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        if self._on_site < MOST_AT_ONCE:
            await self._visit(person(self._from, self._rng), CROWD)

    @property
    def _from(self) -> list[Place]:
        return within(self._places, self._dial.wish.countries)

    def _somebody(self) -> Person:
        countries = self._dial.wish.countries
        past = [one for one in self._past if not countries or one.place.country in countries]
        if past and self._rng.random() < RETURNING:
            return self._rng.choice(past)
        somebody = person(self._from, self._rng)
        self._past.append(somebody)
        return somebody

    async def _visit(self, somebody: Person, arrival: Arrival | None = None) -> None:
        self._site.counts.visits += 1
        self._on_site += 1
        visit = Visit(self._site, somebody, self._rng, self._settings.speed, arrival)
        try:
            await self._trying(visit.run())
        finally:
            self._on_site -= 1

    async def _pass_by(self) -> None:
        robot = crawler(self._from, self._rng)
        speed = self._settings.speed
        await self._trying(crawl(self._site, robot, self._rng, speed, PASSING_PAGES))

    async def _crawl(self) -> None:
        while True:
            await self._is_up.wait()
            if self._dial.is_steered:
                return
            robot = crawler(self._places, self._rng)
            await self._trying(crawl(self._site, robot, self._rng, self._settings.speed))
            await asyncio.sleep(self._rng.uniform(*CRAWL_REST_S) / self._settings.speed)

    async def _trying(self, what: Coroutine[Any, Any, None]) -> None:
        try:
            await what
        except SiteDownError as error:
            if self._is_up.is_set():
                log.warning("%s does not answer: %s", self._site.target, error)
            self._is_up.clear()
            self._is_silent.set()


async def report(site: Site, on_site: Callable[[], int]) -> None:
    """One line a minute."""
    while True:
        await asyncio.sleep(REPORT_S)
        done, site.counts = site.counts, Counts()
        log.info(
            "last minute: %d visits begun, %d requests, %d unanswered, %d server errors; "
            "%d people on the site",
            done.visits,
            done.requests,
            done.errors,
            done.refused,
            on_site(),
        )
