"""Keeps visitors coming: arrivals at random moments, bounded numbers, a report a minute."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from infra.traffic.people import Person, crawler, person
from infra.traffic.places import Place
from infra.traffic.settings import TrafficSettings
from infra.traffic.site import Counts, Site, SiteDownError
from infra.traffic.visits import Visit, crawl

log = logging.getLogger("clickwake.traffic")

MOST_AT_ONCE = 500
REMEMBERED = 200
RETURNING = 0.18
REPORT_S = 60.0
CRAWL_REST_S = (20.0, 90.0)


class Runner:
    """Runs until it is cancelled."""

    def __init__(
        self, settings: TrafficSettings, site: Site, places: list[Place], rng: Random
    ) -> None:
        self._settings, self._site, self._places, self._rng = settings, site, places, rng
        self._past: deque[Person] = deque(maxlen=REMEMBERED)
        self._on_site = 0
        self._is_up, self._is_silent = asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """People, crawlers and the report, side by side."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch())
            group.create_task(report(self._site, lambda: self._on_site))
            for _ in range(self._settings.crawlers):
                group.create_task(self._crawl())
            group.create_task(self._arrivals(group))

    async def _watch(self) -> None:
        """The one place that asks a silent site whether it is back."""
        while True:
            await self._site.until_up()
            self._is_up.set()
            await self._is_silent.wait()
            self._is_silent.clear()

    async def _arrivals(self, group: asyncio.TaskGroup) -> None:
        """Independent arrivals: exponential gaps, so a Poisson process."""
        per_second = self._settings.visitors_per_minute / 60
        while True:
            await self._is_up.wait()
            if self._on_site < MOST_AT_ONCE:
                group.create_task(self._visit(self._somebody()))
            await asyncio.sleep(self._rng.expovariate(per_second))

    def _somebody(self) -> Person:
        if self._past and self._rng.random() < RETURNING:
            return self._rng.choice(self._past)
        somebody = person(self._places, self._rng)
        self._past.append(somebody)
        return somebody

    async def _visit(self, somebody: Person) -> None:
        self._site.counts.visits += 1
        self._on_site += 1
        try:
            await self._trying(Visit(self._site, somebody, self._rng, self._settings.speed).run())
        finally:
            self._on_site -= 1

    async def _crawl(self) -> None:
        while True:
            await self._is_up.wait()
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
