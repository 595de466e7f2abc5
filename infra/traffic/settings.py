"""What the sample traffic may be told, from ``CLICKWAKE_TRAFFIC_*``."""

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from contracts.client import key_headers
from contracts.settings import from_environment


class TrafficSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the visitors go and how many there are.

    ``target``: the demo site.
    ``geo``: MMDB files, comma-separated, from which plausible addresses are chosen.
    ``visitors_per_minute``: how many visits begin in a minute, on average. 0: none until the
    studio or the dashboard wants some.
    ``speed``: divides the visitors' think times.
    ``seed``: repeats the same visitors; without one they differ at every start.
    ``rate``: above 0, that many requests a second at an even pace instead of visits; for
    measurements.
    ``crawlers``: how many crawlers walk the site all the time, unless the studio says otherwise.
    ``api``: where phones and others whose clocks are wrong send their events when the studio
    wants it; with the key of ``CLICKWAKE_CLIENT_KEY``, if there is one.
    ``steering``: the folder in which the demo's studio leaves its wishes. Empty: nobody steers.
    ``site_id``: the site of the events that go to the API.
    """

    target: str = "http://127.0.0.1:8010"
    geo: str = ""
    visitors_per_minute: Annotated[float, Meta(ge=0, le=6000)] = 40.0
    speed: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    seed: int | None = None
    rate: Annotated[float, Meta(ge=0, le=5000)] = 0.0
    crawlers: Annotated[int, Meta(ge=0, le=50)] = 2
    api: str = ""
    steering: str = ""
    site_id: str = "demo"


def api_headers(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the traffic shows the API. ContractError names a variable that is wrong."""
    return key_headers(os.environ if environ is None else environ)


def traffic_settings(environ: Mapping[str, str] | None = None) -> TrafficSettings:
    """The settings of this process. ContractError names a variable that is wrong."""
    return from_environment(TrafficSettings, "TRAFFIC", os.environ if environ is None else environ)
