"""What the demo shop may be told, from ``CLICKWAKE_DEMO_*``."""

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from contracts.client import key_headers
from contracts.settings import from_environment
from interceptor.settings import SiteSettings, site_settings


class DemoSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the shop listens, keeps its data, and finds the live dashboard.

    ``host``: the address to listen on.
    ``port``: the port to listen on.
    ``database``: the SQLite file with the shop's accounts, carts and reviews.
    ``dashboard_url``: where the shop's link to the live dashboard leads.
    ``api_url``: where the shop's own server asks what became of a visitor's clicks, for the
    corner of its pages; with the key of ``CLICKWAKE_CLIENT_KEY``, if there is one. Empty: the
    corner shows what was logged, and no session.
    ``steering``: the folder in which the studio leaves its wishes for the sample traffic and
    reads how things are. Empty: there is no studio.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8010
    database: str = ".clickwake/demo/shop.sqlite3"
    dashboard_url: str = "http://127.0.0.1:8020/"
    api_url: str = ""
    steering: str = ""


def demo_settings(environ: Mapping[str, str] | None = None) -> DemoSettings:
    """The settings of this process. ContractError names a variable that is wrong."""
    return from_environment(DemoSettings, "DEMO", os.environ if environ is None else environ)


def api_headers(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the shop shows the API. ContractError names a variable that is wrong."""
    return key_headers(os.environ if environ is None else environ)


def shop_site(secret: str, environ: Mapping[str, str] | None = None) -> SiteSettings:
    """The interceptor's settings: the environment's, with defaults that suit the demo.

    Loopback counts as a trusted proxy, because the sample traffic speaks for many visitors.
    Pages report what happens in them; visitors may say no, by their browser or by the shop's
    switch; and what the pages ask for to explain themselves is no visit.
    """
    defaults = {
        "CLICKWAKE_SITE_SITE_ID": "shop",
        "CLICKWAKE_SITE_SECRET": secret,
        "CLICKWAKE_SITE_TRUSTED_PROXIES": "127.0.0.0/8",
        "CLICKWAKE_SITE_BEACON_PATH": "/cw.js",
        "CLICKWAKE_SITE_RESPECT_DNT": "true",
        "CLICKWAKE_SITE_OPT_OUT_COOKIE": "cw_no_log",
        "CLICKWAKE_SITE_EXCLUDE_PATHS": "/corner/*,/studio/*,/consent",
    }
    return site_settings({**defaults, **(os.environ if environ is None else environ)})
