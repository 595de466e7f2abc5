"""What counts, for one site: the shared rule of views plus the site's own choices."""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from contracts.agents import is_bot
from contracts.views import ViewRules, drop_reason, patterns
from interceptor.settings import SiteSettings, listed


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """A site's choices about what is logged."""

    rules: ViewRules
    respect_dnt: bool
    log_in_development: bool
    development: bool
    excluded: re.Pattern[str] | None = None
    opt_out: re.Pattern[str] | None = None
    drop_bots: bool = False

    @classmethod
    def of(cls, settings: SiteSettings) -> "Policy":
        """The policy that the settings describe."""
        return cls(
            rules=ViewRules(
                health_paths=frozenset(listed(settings.health_paths)),
                api_prefixes=listed(settings.api_paths),
            ),
            respect_dnt=settings.respect_dnt,
            log_in_development=settings.log_in_development,
            development=settings.development,
            excluded=patterns(listed(settings.exclude_paths)),
            opt_out=_opt_out(settings.opt_out_cookie),
            drop_bots=settings.drop_bots,
        )

    def drop_reason(
        self, method: str, path: str, headers: Mapping[str, str], *, debug: bool = False
    ) -> str | None:
        """Why a request is not logged, as a stable code; None when it is.

        ``debug`` says that the application itself runs in debug mode.
        """
        if (self.development or debug) and not self.log_in_development:
            return "development"
        if self.respect_dnt and (wants_no_tracking(headers) or wants_no_selling(headers)):
            return "do_not_track"
        if self.opt_out and self.opt_out.search(headers.get("cookie", "")):
            return "opted_out"
        if self.excluded and self.excluded.match(path):
            return "excluded_path"
        reason = drop_reason(method, path, headers, self.rules)
        if reason is None and self.drop_bots and _is_bot(headers.get("user-agent", "")):
            return "bot"
        return reason


def _opt_out(name: str) -> re.Pattern[str] | None:
    """What a Cookie header has in it when the cookie of that name says no: any value but 0."""
    if not name:
        return None
    # Headers of one name are joined by a comma, which no cookie may have in it.
    return re.compile(rf"(?:^|[;,])\s*{re.escape(name)}=(?!0?\s*(?:[;,]|$))")


_is_bot = lru_cache(maxsize=4096)(is_bot)


def wants_no_tracking(headers: Mapping[str, str]) -> bool:
    """``DNT: 1`` (W3C Tracking Preference Expression)."""
    return headers.get("dnt") == "1"


def wants_no_selling(headers: Mapping[str, str]) -> bool:
    """``Sec-GPC: 1`` (Global Privacy Control)."""
    return headers.get("sec-gpc") == "1"
