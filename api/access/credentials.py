"""What a request shows of itself: a key in a header, or a log-in's cookie. Pure."""

from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

from starlette.datastructures import Headers

KEY_HEADER = "X-Clickwake-Key"
COOKIE = "clickwake-login"
SECURE_COOKIE = "__Host-clickwake-login"
"""Browsers take this name only over https, for this host alone."""

_LONGEST = 200


class Shown(NamedTuple):
    """What was shown. ``in_header``: by a program, and not by a browser on its own account."""

    text: str
    in_header: bool


def shown(headers: Headers) -> Shown | None:
    """The key or log-in that came with a request; None without one.

    A reverse proxy's own ``Authorization`` is none of ours: keys begin with ``cw_``.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    key = headers.get(KEY_HEADER, "").strip() or given
    if key.startswith("cw_"):
        return Shown(key[:_LONGEST], in_header=True)
    login = login_token(headers)
    return Shown(login[:_LONGEST], in_header=False) if login else None


def login_token(headers: Headers) -> str | None:
    """The log-in's token in the cookies."""
    cookies = SimpleCookie()
    for text in headers.getlist("cookie"):
        try:
            cookies.load(text)
        except CookieError:
            continue
    found = cookies.get(SECURE_COOKIE) or cookies.get(COOKIE)
    return found.value if found else None


def set_cookie(token: str, max_age_s: int, *, is_https: bool) -> str:
    """The ``Set-Cookie`` of a log-in; with an age of 0, of a log-out."""
    name = SECURE_COOKIE if is_https else COOKIE
    secure = "; Secure" if is_https else ""
    return f"{name}={token}; Path=/; Max-Age={max_age_s}; HttpOnly; SameSite=Strict{secure}"


def is_https(scheme: str, headers: Headers) -> bool:
    """Whether the browser speaks https, to us or to the proxy before us.

    It says so itself: a page's POST has its Origin.
    """
    forwarded = headers.get("x-forwarded-proto", "").lower()
    return "https" in (scheme, forwarded) or headers.get("origin", "").startswith("https:")
