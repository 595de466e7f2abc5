"""What the demo shop may be told, from ``CLICKWAKE_DEMO_*``."""

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from contracts.settings import from_environment
from interceptor.settings import SiteSettings, site_settings


class DemoSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the shop listens, keeps its data, and finds the live dashboard.

    ``host``: the address to listen on.
    ``port``: the port to listen on.
    ``database``: the SQLite file with the shop's accounts, carts and reviews.
    ``dashboard_url``: where the shop's link to the live dashboard leads.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8010
    database: str = ".clickwake/demo/shop.sqlite3"
    dashboard_url: str = "http://127.0.0.1:8020/"


def demo_settings(environ: Mapping[str, str] | None = None) -> DemoSettings:
    """The settings of this process. ContractError names a variable that is wrong."""
    return from_environment(DemoSettings, "DEMO", os.environ if environ is None else environ)


def shop_site(secret: str, environ: Mapping[str, str] | None = None) -> SiteSettings:
    """The interceptor's settings: the environment's, with defaults that suit the demo.

    Loopback counts as a trusted proxy, because the sample traffic speaks for many visitors.
    Pages report what happens in them.
    """
    defaults = {
        "CLICKWAKE_SITE_SITE_ID": "shop",
        "CLICKWAKE_SITE_SECRET": secret,
        "CLICKWAKE_SITE_TRUSTED_PROXIES": "127.0.0.0/8",
        "CLICKWAKE_SITE_BEACON_PATH": "/cw.js",
    }
    return site_settings({**defaults, **(os.environ if environ is None else environ)})
