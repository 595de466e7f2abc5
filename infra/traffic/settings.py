"""What the sample traffic may be told, from ``CLICKWAKE_TRAFFIC_*``."""

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from contracts.settings import from_environment


class TrafficSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the visitors go and how many there are.

    ``target``: the demo site.
    ``geo``: MMDB files, comma-separated, from which plausible addresses are chosen.
    ``visitors_per_minute``: how many visits begin in a minute, on average.
    ``speed``: divides the visitors' think times.
    ``seed``: repeats the same visitors; without one they differ at every start.
    ``rate``: above 0, that many requests a second at an even pace instead of visits; for
    measurements.
    ``crawlers``: how many crawlers walk the site all the time.
    """

    target: str = "http://127.0.0.1:8010"
    geo: str = ""
    visitors_per_minute: Annotated[float, Meta(gt=0, le=6000)] = 40.0
    speed: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    seed: int | None = None
    rate: Annotated[float, Meta(ge=0, le=5000)] = 0.0
    crawlers: Annotated[int, Meta(ge=0, le=50)] = 2


def traffic_settings(environ: Mapping[str, str] | None = None) -> TrafficSettings:
    """The settings of this process. ContractError names a variable that is wrong."""
    return from_environment(TrafficSettings, "TRAFFIC", os.environ if environ is None else environ)
