"""Which silence ends a session, by site and by path. Pure.

Each event brings its own gap: a checkout page may keep a session open for an hour.
"""

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from contracts import ContractError
from contracts.settings import milliseconds

REMEMBERED_PATHS = 50_000
FORM = "write rules like shop:/checkout*=1h, /video/*=2h, blog=45m"

_SITE = re.compile(r"[A-Za-z0-9._-]{1,64}|\*")


class GapRule(msgspec.Struct, frozen=True):
    """Events of ``site`` whose whole path matches ``path`` bring ``gap`` (ms).

    ``*`` is any site, and in a path any run of characters, slashes included.
    """

    site: str
    path: str
    gap: int


def read_gap_rules(text: str) -> tuple[GapRule, ...]:
    """Comma-separated ``SITE:PATH=DURATION``; without a site any site, without a path any path.

    Raises ContractError that shows the rule which cannot be read.
    """
    return tuple(_rule(part.strip()) for part in text.split(",") if part.strip())


def _rule(text: str) -> GapRule:
    place, equals, duration = text.rpartition("=")
    site, path = _place(place.strip())
    if not equals or not _SITE.fullmatch(site) or not path.startswith(("/", "*")):
        raise ContractError(f"{text!r} is not a gap rule: {FORM}")
    gap = milliseconds(duration)
    if gap == 0:
        raise ContractError(f"{text!r}: a gap must be longer than nothing")
    return GapRule(site, path, gap)


def _place(text: str) -> tuple[str, str]:
    if text.startswith("/"):
        return "*", text
    site, colon, path = text.partition(":")
    return site, path if colon else "*"


@lru_cache(maxsize=8)
def gap_reader(rules: tuple[GapRule, ...]) -> Callable[[str, str], int]:
    """(site_id, path) → the gap in ms of the first rule that matches, 0 for none."""
    if not rules:
        return lambda site_id, path: 0
    patterns = [(_pattern(rule), rule.gap) for rule in rules]

    @lru_cache(maxsize=REMEMBERED_PATHS)
    def gap_of(site_id: str, path: str) -> int:
        place = f"{site_id}:{path}"
        return next((gap for pattern, gap in patterns if pattern.fullmatch(place)), 0)

    return gap_of


def _pattern(rule: GapRule) -> re.Pattern[str]:
    # A site id holds no colon, so the first one ends it.
    site = "[^:]*" if rule.site == "*" else re.escape(rule.site)
    path = ".*".join(map(re.escape, rule.path.split("*")))
    return re.compile(f"{site}:{path}", re.DOTALL)
