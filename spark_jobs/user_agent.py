"""What a User-Agent header says: browser, system, device, bot. Pure, cached by header."""

import re
from functools import lru_cache

import ua_parser

from contracts import Agent
from contracts.agents import is_bot, is_probe

CACHED_AGENTS = 50_000

_TABLET = re.compile(r"ipad|tablet|kindle|silk/|playbook", re.I)
_MOBILE = re.compile(r"mobi|iphone|ipod|windows phone|opera mini", re.I)
_DESKTOP = ("Windows", "Mac OS X", "Linux", "Ubuntu", "Chrome OS", "Fedora", "FreeBSD", "OpenBSD")


@lru_cache(maxsize=CACHED_AGENTS)
def read_user_agent(header: str) -> Agent:
    """Never raises; an empty header gives an Agent of unknowns."""
    if not header.strip():
        return Agent()
    parsed = ua_parser.parse(header)
    browser, system, device = parsed.user_agent, parsed.os, parsed.device
    bot = _bot(header, device.family if device else None, browser.family if browser else None)
    return Agent(
        browser=browser.family if browser else "unknown",
        browser_version=browser.major if browser else None,
        os=system.family if system else "unknown",
        device="bot" if bot else _device(header, system.family if system else ""),
        is_bot=bot is not None,
        bot=bot,
    )


def _bot(header: str, device: str | None, browser: str | None) -> str | None:
    """The bot's name, ``health`` for probes, or None for what looks like a person."""
    if is_probe(header):
        return "health"
    if device == "Spider" or is_bot(header):
        return browser or "bot"
    return None


def _device(header: str, system: str) -> str:
    if _TABLET.search(header) or (system == "Android" and not _MOBILE.search(header)):
        return "tablet"
    if _MOBILE.search(header):
        return "mobile"
    return "desktop" if system.startswith(_DESKTOP) else "unknown"
