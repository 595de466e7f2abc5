"""From a site's settings to its way to tell who a visitor is."""

import logging

from contracts.settings import Secret, milliseconds
from interceptor.client_ip import Trust
from interceptor.cookie import VisitorCookie
from interceptor.errors import InterceptorError
from interceptor.given import Given
from interceptor.identity import Fixed, Identity, keyed_hash
from interceptor.rotating import Rotating
from interceptor.salts import Now, SaltBook
from interceptor.settings import SiteSettings, random_secret

log = logging.getLogger("clickwake.interceptor")

LONGEST_OVERLAP_MS = 12 * 60 * 60 * 1000
"""Salts are deleted so long after the end of their day, at the earliest."""


def identity_of(site: SiteSettings, now: Now) -> Identity:
    """The one that the settings describe. Raises InterceptorError when one of them is wrong."""
    secret = site.secret or _random_secret()
    if site.identity == "fixed":
        return Fixed(site.site_id, keyed_hash(secret))
    rotating = Rotating(site.site_id, secret, SaltBook(now), _overlap_ms(site))
    if not site.secret:
        # Nobody else could make anything of them.
        rotating.salts = None
    if site.identity == "rotating":
        return rotating
    cookie = _cookie(site) if site.identity == "cookie" else None
    return Given(site.site_id, secret, rotating, cookie)


def _overlap_ms(site: SiteSettings) -> int:
    overlap = milliseconds(site.identity_overlap)
    if overlap > LONGEST_OVERLAP_MS:
        raise InterceptorError(
            f"identity_overlap is {site.identity_overlap}: it can be 12h at most, as the salts "
            "of a day are deleted soon after"
        )
    return overlap


def _cookie(site: SiteSettings) -> VisitorCookie:
    age_s = milliseconds(site.cookie_max_age) // 1000
    return VisitorCookie(site.cookie_name, age_s, Trust.of(site.trusted_proxies))


def _random_secret() -> Secret:
    log.warning(
        "CLICKWAKE_SITE_SECRET is not set: visitor ids last until this process ends, and each "
        "process has its own; set it to a long random text"
    )
    return random_secret()
