"""Keys of one site: what they may ask for. Pure.

The gate adds the site to a question that names none, so that no route can forget to look; and an
address that does not ask by site is closed to such a key until a rule here opens it.
"""

from urllib.parse import parse_qsl, quote

from starlette.exceptions import HTTPException

from api.access.scopes import Access

_BY_SITE = ("/api/v1/sessions", "/api/v1/visitors", "/api/v1/stats")
"""They and what is below them take a ``site``."""

_BY_THEMSELVES = frozenset({"/api/v1/events", "/api/v1/live/tickets"})
"""Their routes look at the key's site: a ticket is good for what its key is."""


def confined(access: Access, path: str, query: bytes) -> bytes:
    """The query of a question as this access may ask it. Raises a 403 for another site's."""
    if access.site is None or path in _BY_THEMSELVES:
        return query
    if not any(path == start or path.startswith(f"{start}/") for start in _BY_SITE):
        raise _refused(access, "is not told by site")
    # As the framework reads it, names in any spelling and all of several values.
    asked = [text for name, text in parse_qsl(query.decode("latin-1"), True) if name == "site"]
    if any(site != access.site for site in asked):
        raise _refused(access, "is of another site")
    if asked:
        return query
    own = b"site=" + quote(access.site, safe="").encode()
    return query + b"&" + own if query else own


def _refused(access: Access, why: str) -> HTTPException:
    detail = f"The key {access.key_id} is for the site {access.site!r} only, and this {why}."
    return HTTPException(403, detail)
