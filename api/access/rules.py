"""Which scope an address needs at least. Pure.

All under /api needs one: ``read`` unless a rule here says otherwise, so that a new route is
closed until someone opens it. A route may ask for more with ``Access.require``.
"""

from api.access.scopes import Scope

ANNOTATIONS = "/api/v1/annotations"
BACKFILLS = "/api/v1/backfills"
DEAD_LETTERS = "/api/v1/dead-letters"
LIVE = "/api/v1/live"
LOGIN = "/api/v1/login"
LOGOUT = "/api/v1/logout"
SAMPLE_TRAFFIC = "/api/v1/sample-traffic"
VIEWS = "/api/v1/views"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

# The live channel's own route asks for the scope: a ticket may stand for the key.
_OPEN = frozenset({("POST", LOGIN), ("GET", LOGIN), ("POST", LOGOUT), ("GET", LIVE)})
# What many people see, or the pipeline does: only who administers it changes it.
_ADMINISTERED = frozenset({ANNOTATIONS, BACKFILLS, DEAD_LETTERS, SAMPLE_TRAFFIC, VIEWS})
_RULES: dict[tuple[str, str], Scope] = {
    ("POST", "/api/v1/events"): "ingest",
    ("GET", "/api/v1/audit"): "admin",
    ("HEAD", "/api/v1/audit"): "admin",
}


def needed_scope(method: str, path: str) -> Scope | None:
    """The scope that a request needs; None when anyone may send it."""
    if not (path == "/metrics" or path.startswith("/api/")) or (method, path) in _OPEN:
        return None
    if method not in SAFE_METHODS and "/".join(path.split("/")[:4]) in _ADMINISTERED:
        return "admin"
    if method == "DELETE":
        return "erase"
    if "export" in path.split("/"):
        return "export"
    return _RULES.get((method, path), "read")
