"""Where a visit came from: referring domain, channel, UTM parameters. Pure."""

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from contracts import Attribution

CACHED_ORIGINS = 20_000

UTM_NAMES = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
NO_UTM = (None,) * len(UTM_NAMES)

Utm = tuple[str | None, ...] | None
"""The values of UTM_NAMES, or None when a request has none of them."""

_SEARCH = frozenset(
    (
        *("google", "bing", "duckduckgo", "yahoo", "yandex", "baidu"),
        *("ecosia", "qwant", "startpage", "brave", "naver", "seznam"),
    )
)
_SOCIAL = frozenset(
    (
        *("facebook", "instagram", "threads", "whatsapp", "twitter", "x", "t", "bsky"),
        *("linkedin", "lnkd", "reddit", "pinterest", "tiktok", "youtube", "youtu"),
        *("mastodon", "vk", "weibo", "telegram"),
    )
)
_MAIL = frozenset(("mail", "outlook", "webmail"))
_PAID = frozenset(
    (
        *("cpc", "ppc", "cpm", "paid", "paidsearch", "paid-search"),
        *("paidsocial", "display", "retargeting"),
    )
)
_MEDIUMS = {"email": "email", "newsletter": "email", "social": "social", "organic": "search"}


def utm_of(query: Mapping[str, str]) -> Utm:
    """Source, medium, campaign, term and content; None when there is none of them."""
    if not query:
        return None
    found = tuple(query.get(name) for name in UTM_NAMES)
    return found if any(found) else None


def referring_domain(referrer: str | None) -> str | None:
    """The referrer's host in lower case without ``www.`` and port, or None if it has none."""
    if not referrer:
        return None
    try:
        host = urlsplit(referrer).hostname
    except ValueError:
        return None
    return host.removeprefix("www.") if host else None


@lru_cache(maxsize=CACHED_ORIGINS)
def attribute(host: str, referrer: str | None, utm: Utm) -> Attribution:
    """UTM parameters decide over the referrer; a referrer of the site's own host is internal."""
    domain = referring_domain(referrer)
    source, medium, campaign, term, content = utm or NO_UTM
    own = referring_domain(f"//{host}")
    return Attribution(
        domain=domain,
        channel=_channel(domain, own, source, medium),
        utm_source=source,
        utm_medium=medium,
        utm_campaign=campaign,
        utm_term=term,
        utm_content=content,
    )


def _channel(domain: str | None, own: str | None, source: str | None, medium: str | None) -> str:
    if source or medium:
        return _campaign_channel((medium or "").lower())
    if domain is None:
        return "direct"
    if domain == own:
        return "internal"
    return _referral_channel(domain)


def _campaign_channel(medium: str) -> str:
    return "paid" if medium in _PAID else _MEDIUMS.get(medium, "campaign")


def _referral_channel(domain: str) -> str:
    labels = domain.split(".")
    if _MAIL.intersection(labels):
        return "email"
    if _SEARCH.intersection(labels[:-1]):
        return "search"
    if _SOCIAL.intersection(labels[:-1]):
        return "social"
    return "referral"
