"""How much traffic there is to be, from the settings until the studio says otherwise."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

from contracts import steering
from contracts.steering import Act, TrafficNow, TrafficWish, Wishes

LOOK_S = 0.25
IDLE_S = 3600.0

Perform = Callable[[Act], Awaitable[str]]


class Dial:
    """The wished traffic now. ``is_steered``: somebody has wished for something."""

    def __init__(self, visitors_per_minute: float, countries: tuple[str, ...] = ()) -> None:
        self.wish = TrafficWish(visitors_per_minute=visitors_per_minute, bots=0.0)
        self.countries = countries
        self.is_steered = False
        self.done = 0
        self.note = ""
        self._changed = asyncio.Event()

    def turn(self, wish: TrafficWish) -> None:
        """From now on this many visitors; whoever waits for the next one waits anew."""
        self.is_steered = True
        if wish != self.wish:
            self.wish = wish
            self._changed.set()

    async def wait(self, rng: Random) -> bool:
        """Until the next arrival is due; False when the wish changed meanwhile.

        Independent arrivals: exponential gaps, so a Poisson process.
        """
        self._changed.clear()
        per_second = self.wish.visitors_per_minute / 60
        gap_s = rng.expovariate(per_second) if per_second else IDLE_S
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), gap_s)
            return False
        return per_second > 0


class Steering:
    """Reads the studio's wishes from a folder, and says there how things are."""

    def __init__(self, folder: Path, dial: Dial, perform: Perform) -> None:
        self._folder, self._dial, self._perform = folder, dial, perform
        self._known: Wishes | None = None

    async def run(self, on_site: Callable[[], int], requests: Callable[[], int]) -> None:
        """Until cancelled. Acts from before this process began are not done again."""
        first = steering.read(self._folder, Wishes)
        self._dial.done = max((act.number for act in first.acts), default=0) if first else 0
        async with asyncio.TaskGroup() as group:
            ticks = 0
            while True:
                self._follow(group)
                if ticks % 2 == 0:
                    self._say(on_site(), requests())
                ticks += 1
                await asyncio.sleep(LOOK_S)

    def _follow(self, group: asyncio.TaskGroup) -> None:
        wishes = steering.read(self._folder, Wishes)
        if wishes is None or wishes == self._known:
            return
        self._known = wishes
        if wishes.traffic is not None:
            self._dial.turn(wishes.traffic)
        for act in sorted(wishes.acts, key=lambda one: one.number):
            if act.number > self._dial.done:
                self._dial.done = act.number
                group.create_task(self._do(act))

    async def _do(self, act: Act) -> None:
        self._dial.note = await self._perform(act)

    def _say(self, on_site: int, requests: int) -> None:
        dial = self._dial
        now = TrafficNow(
            time=time.time_ns() // 1_000_000,
            traffic=dial.wish,
            on_site=on_site,
            requests=requests,
            done=dial.done,
            note=dial.note,
            countries=dial.countries,
        )
        # The stack may have been stopped, and its folder with it: then nobody listens.
        with contextlib.suppress(OSError):
            steering.write(self._folder, now)
