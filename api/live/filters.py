"""Which sessions and events a subscription is about. No I/O, no clock."""

import zlib
from typing import NamedTuple

import msgspec

from api.choices import choice_of, parted, written
from contracts import EnrichedEvent, SessionUpdate
from contracts.live import Subscription

UNKNOWN = "unknown"
DEFAULT = Subscription()


class OtherSiteError(Exception):
    """The key is for one site only, and another one was asked for. The message says which."""


class Facts(NamedTuple):
    """What a filter can ask of a session or an event. An event's session is not known."""

    site: str
    country: str
    channel: str
    device: str
    browser: str
    os: str
    is_bot: bool
    path: str
    visitor: str
    session: str | None


def session_facts(update: SessionUpdate) -> Facts:
    """Those of the session's first event: they nearly never change."""
    return _facts(update, update.entry_page, update.session_id)


def event_facts(event: EnrichedEvent) -> Facts:
    """Those of a request."""
    return _facts(event, event.path, None)


def _facts(one: SessionUpdate | EnrichedEvent, path: str, session: str | None) -> Facts:
    return Facts(
        one.site_id,
        (one.geo.country if one.geo else None) or UNKNOWN,
        one.attribution.channel,
        one.agent.device,
        one.agent.browser,
        one.agent.os,
        one.agent.is_bot,
        path,
        one.visitor_id,
        session,
    )


def canonical(wanted: Subscription) -> Subscription:
    """The same wish in the one form in which all who have it write it."""
    tidy = {
        name: tuple(sorted(set(value)))
        for name, value in msgspec.structs.asdict(wanted).items()
        if isinstance(value, tuple)
    }
    return msgspec.structs.replace(wanted, **tidy)


def confined(wanted: Subscription, site: str | None) -> Subscription:
    """The subscription of someone who may watch this site only (None: any). OtherSiteError."""
    if site is None:
        return wanted
    own = (written(site),)
    if wanted.site not in {(), own}:
        raise OtherSiteError(f"the key is for the site {site!r} only")
    return msgspec.structs.replace(wanted, site=own)


def digest(wanted: Subscription) -> str:
    """A short name of a canonical subscription, the same in every process."""
    return f"{zlib.crc32(msgspec.json.encode(wanted)):08x}"


class Filter:
    """What a subscription restricts."""

    def __init__(self, wanted: Subscription) -> None:
        choices = [choice_of(getattr(wanted, name)) for name in Facts._fields[:6]]
        self._wanted = [(n, one.wanted) for n, one in enumerate(choices) if one.wanted]
        self._excluded = [(n, one.excluded) for n, one in enumerate(choices) if one.excluded]
        self._bots = {"include": None, "exclude": False, "only": True}[wanted.bots]
        self._path, self._is_path_excluded = parted(wanted.path)
        self._visitor, self._session = wanted.visitor, wanted.session
        only = self._path or self._is_path_excluded or self._visitor or self._session
        self.is_open = self._bots is None and not (self._wanted or self._excluded or only)
        """Whether everything matches."""

    def matches(self, facts: Facts) -> bool:
        """Whether what has these facts is wanted."""
        if self._bots is not None and facts.is_bot != self._bots:
            return False
        if any(facts[n] not in values for n, values in self._wanted):
            return False
        if any(facts[n] in values for n, values in self._excluded):
            return False
        if self._session and facts.session != self._session:
            return False
        if self._visitor and facts.visitor != self._visitor:
            return False
        return facts.path.startswith(self._path) != self._is_path_excluded
