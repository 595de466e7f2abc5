"""Which User-Agent headers name a program that no person sits in front of. Pure."""

import re

PROBE = re.compile(r"kube-probe|healthcheck|health-check|uptime|pingdom|statuscake", re.I)
BOT = re.compile(
    r"bot\b|bot/|crawl|spider|slurp|scrape|fetch(er)?\b|preview|archiver|monitor|"
    r"headless|phantomjs|lighthouse|python-|aiohttp|httpx|go-http-client|java/|okhttp|"
    r"curl/|wget/|libwww|perl|ruby|axios|node-fetch|feed|rss|validator|\+https?://",
    re.I,
)


def is_probe(user_agent: str) -> bool:
    """Whether it asks for a site's health."""
    return PROBE.search(user_agent) is not None


def is_bot(user_agent: str) -> bool:
    """Whether it says of itself that it is a crawler, a library, a probe or another program."""
    return is_probe(user_agent) or BOT.search(user_agent) is not None
