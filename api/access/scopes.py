"""What a request may do: the scopes of the key that came with it."""

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

Scope = Literal["ingest", "read", "export", "erase", "admin"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
SCOPE_KEY = "clickwake.access"
"""Where the gate leaves a request's access in its ASGI scope."""


class Access(Struct, frozen=True, kw_only=True):
    """What whoever asks may do.

    ``key_id`` is None without a key. ``site`` is the only one that the key may read and whose
    events it may send.
    ``expires`` (ms since 1970 UTC) ends it; a connection that lives longer must end then, too.
    """

    scopes: frozenset[Scope]
    key_id: str | None = None
    name: str = ""
    site: str | None = None
    expires: int | None = None

    @classmethod
    def of(cls, connection: HTTPConnection) -> "Access":
        """The access of a request or WebSocket; nobody's where no gate stands before it."""
        found = connection.scope.get(SCOPE_KEY)
        return found if isinstance(found, cls) else NOBODY

    @property
    def actor(self) -> str:
        """Who it is, for the audit log."""
        return f"key {self.key_id}" if self.key_id else "without a key"

    def has(self, scope: Scope) -> bool:
        """Whether it may do what the scope allows."""
        return scope in self.scopes

    def is_over(self, now: int) -> bool:
        """Whether its time has passed (ms since 1970 UTC)."""
        return self.expires is not None and now >= self.expires

    def require(self, scope: Scope) -> None:
        """Raise the 401 or 403 that says what is missing."""
        if not self.has(scope):
            raise refusal(self, scope)


NOBODY = Access(scopes=frozenset())
"""Who showed no key where one is needed."""

EVERYTHING = Access(scopes=frozenset(SCOPES))
"""Who asks an API that needs no keys."""


def refusal(access: Access, scope: Scope) -> HTTPException:
    """Why this access is not enough."""
    if access.key_id is None:
        detail = (
            f"This needs an API key with the scope {scope!r}, as `Authorization: Bearer cw_…` or "
            "by logging in; `./clickwake keys create` makes one."
        )
        return HTTPException(401, detail, {"WWW-Authenticate": 'Bearer realm="clickwake"'})
    return HTTPException(
        403,
        f"This needs the scope {scope!r}; the key {access.key_id} has {in_words(access.scopes)}.",
        {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}"'},
    )


def in_words(scopes: Iterable[Scope]) -> str:
    """``read, export``, in the order of ``SCOPES``."""
    held = set(scopes)
    return ", ".join(scope for scope in SCOPES if scope in held) or "none"
