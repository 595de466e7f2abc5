"""``python -m infra.traffic``: visit the demo site until told to stop."""

import asyncio
import contextlib
import logging
import signal
import sys
from random import Random

from contracts import ContractError, logs
from infra.traffic.pace import Pace
from infra.traffic.places import Place, chosen_places
from infra.traffic.runner import Runner
from infra.traffic.settings import TrafficSettings, traffic_settings
from infra.traffic.site import Site

log = logging.getLogger("clickwake.traffic")


async def visit(settings: TrafficSettings, places: list[Place], rng: Random) -> None:
    """Until SIGTERM or Ctrl-C, which end it at once: a visitor leaves without a word."""
    async with Site(settings.target) as site:
        runner = (
            Pace(settings.rate, site, places, rng)
            if settings.rate
            else Runner(settings, site, places, rng)
        )
        task = asyncio.ensure_future(runner.run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task


def main() -> int:
    """The exit status. A wrong setting is one sentence and status 1."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        logs.configure("traffic")
        settings = traffic_settings()
    except ContractError as error:
        print(error, file=sys.stderr)
        return 1
    rng = Random(settings.seed)
    files = [file.strip() for file in settings.geo.split(",") if file.strip()]
    places = chosen_places(files, rng)
    countries = len({place.country for place in places if place.country})
    log.info(
        "visiting %s from %d addresses in %d countries", settings.target, len(places), countries
    )
    asyncio.run(visit(settings, places, rng))
    return 0


if __name__ == "__main__":
    sys.exit(main())
