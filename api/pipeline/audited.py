"""What people do to the pipeline, in the audit log."""

from starlette.requests import Request

from api.access import audit
from api.access.logins import Door
from api.access.scopes import Access
from api.history.engine import changing


def enter(door: Door, request: Request, action: str, subject: str, detail: str) -> None:
    """Enter it in a transaction of its own, before the answer tells of it."""
    entry = audit.Entry(
        action, Access.of(request).actor, subject, door.address_of(request.scope), detail
    )
    with changing(door.engine) as connection:
        audit.record(connection, entry, door.clock())
