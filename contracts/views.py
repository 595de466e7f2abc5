"""Which requests count as a view: one rule for live traffic and for imported log files.

Pure: a request in, a reason not to count it out. Header names are lower case.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate

import msgspec

from contracts.events import EventKind

IMAGE = "png jpg jpeg gif webp avif svg ico bmp tif tiff heic"
FONT = "woff woff2 ttf otf eot"
SCRIPT = "js mjs cjs wasm"
MEDIA = "mp3 mp4 m4a m4v ogg ogv wav webm mov m3u8"
REASON_BY_EXTENSION: dict[str, str] = {
    extension: reason
    for reason, extensions in (
        ("image", IMAGE),
        ("font", FONT),
        ("script", SCRIPT),
        ("style_sheet", "css"),
        ("source_map", "map"),
        ("media", MEDIA),
        ("manifest", "webmanifest"),
    )
    for extension in extensions.split()
}
REASON_BY_DESTINATION: dict[str, str] = {
    "image": "image",
    "font": "font",
    "script": "script",
    "style": "style_sheet",
    "audio": "media",
    "video": "media",
    "track": "media",
    "manifest": "manifest",
    "worker": "script",
    "serviceworker": "script",
    "sharedworker": "script",
}
"""``Sec-Fetch-Dest``: what a browser wants the answer for (W3C Fetch Metadata)."""

REASON_BY_METHOD: dict[str, str] = {
    "HEAD": "head",
    "OPTIONS": "options",
    "TRACE": "trace",
    "CONNECT": "connect",
}
PREFETCH_HEADERS = ("sec-purpose", "purpose", "x-purpose", "x-moz")
PREFETCH_WORDS = ("prefetch", "prerender", "preview")
READ_HEADERS = (*PREFETCH_HEADERS, "range", "sec-fetch-dest", "upgrade", "user-agent")
"""Every header that the rule looks at."""

HEALTH_AGENTS = (
    "kube-probe/",
    "elb-healthchecker/",
    "googlehc/",
    "amazon-route53-health-check",
    "consul health check",
    "haproxy/",
    "envoy/hc",
    "azure traffic manager endpoint monitor",
)
AGENT_START = max(map(len, HEALTH_AGENTS))
TELLING_HEADERS = frozenset({*PREFETCH_HEADERS, "range", "upgrade"})
FIRST_BYTE = re.compile(r"\s*bytes\s*=\s*0+\s*-", re.ASCII | re.IGNORECASE)
"""A ``Range`` (RFC 9110) that begins at the start: the first of the requests for one document."""

NAMES_OF_PAGES = frozenset({"script", "style_sheet"})
"""A page may be called ``/wiki/node.js``; a browser that opens it says ``document``."""


class ViewRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a site may choose: exact paths of its health checks, prefixes of its API."""

    health_paths: frozenset[str] = frozenset(
        {"/health", "/healthz", "/livez", "/readyz", "/-/healthy", "/-/ready"}
    )
    api_prefixes: tuple[str, ...] = ("/api/",)


DEFAULT_RULES = ViewRules()


def should_log(
    method: str, path: str, headers: Mapping[str, str], rules: ViewRules = DEFAULT_RULES
) -> bool:
    """Whether a request counts as a view. ``path`` is decoded and without its query."""
    return drop_reason(method, path, headers, rules) is None


def drop_reason(
    method: str, path: str, headers: Mapping[str, str], rules: ViewRules = DEFAULT_RULES
) -> str | None:
    """Why a request does not count, as a stable code; None when it does."""
    return (
        REASON_BY_METHOD.get(method)
        or _path_reason(path, headers.get("sec-fetch-dest", ""), rules)
        or _header_reason(headers)
    )


def event_kind(path: str, rules: ViewRules = DEFAULT_RULES) -> EventKind:
    """``api`` below one of the site's API prefixes, else ``page``."""
    return "api" if path.startswith(rules.api_prefixes) else "page"


def _path_reason(path: str, destination: str, rules: ViewRules) -> str | None:
    if path in rules.health_paths:
        return "health_check"
    if path == "/robots.txt":
        return "robots_txt"
    if path.endswith("/favicon.ico"):
        return "favicon"
    reason = REASON_BY_DESTINATION.get(destination)
    return reason or _extension_reason(path, destination)


def _extension_reason(path: str, destination: str) -> str | None:
    name = path[path.rfind("/") + 1 :]
    stem, dot, extension = name.partition(";")[0].rpartition(".")
    if not dot or not stem:
        return None
    reason = REASON_BY_EXTENSION.get(extension.lower())
    if destination == "document" and reason in NAMES_OF_PAGES:
        return None
    return reason


def _header_reason(headers: Mapping[str, str]) -> str | None:
    # Nearly no request carries any of these: one look at the names decides.
    if not TELLING_HEADERS.isdisjoint(headers):
        if any(_is_prefetch(headers.get(name, "")) for name in PREFETCH_HEADERS):
            return "prefetch"
        if headers.get("upgrade", "").lower() == "websocket":
            return "websocket"
        if "range" in headers and not FIRST_BYTE.match(headers["range"]):
            return "range"
    if headers.get("user-agent", "")[:AGENT_START].lower().startswith(HEALTH_AGENTS):
        return "health_check"
    return None


def _is_prefetch(value: str) -> bool:
    return any(word in value.lower() for word in PREFETCH_WORDS)


def patterns(globs: Sequence[str]) -> re.Pattern[str] | None:
    """One expression for paths that match any of them; ``*`` stands for anything, also slashes.

    None when there are no patterns.
    """
    return re.compile("|".join(map(translate, globs))) if globs else None
