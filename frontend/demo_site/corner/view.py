"""What the corner shows, as values."""

import msgspec

from contracts import SessionUpdate
from frontend.demo_site.corner.reasons import words
from interceptor import Decision


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A decision as the visitor it is about may see it.

    ``kind`` is the event's, or ``none`` when nothing was logged, and ``why`` says why. ``time``
    is when it was decided, in ms since 1970 UTC. ``delay_ms`` is from then until the session
    had it, once ``is_in_session``; None if that was before anybody looked.
    """

    number: int
    time: int
    kind: str
    method: str
    path: str
    status: int | None = None
    name: str | None = None
    event_id: str | None = None
    reason: str | None = None
    why: str | None = None
    is_in_session: bool = False
    delay_ms: int | None = None


class SessionNow(msgspec.Struct, frozen=True, kw_only=True):
    """The visitor's session as the dashboard has it."""

    session_id: str
    status: str
    revision: int
    events: int
    pages: int
    api_calls: int
    custom_events: int
    duration_ms: int
    url: str


class View(msgspec.Struct, frozen=True, kw_only=True):
    """All that the corner shows. ``is_following``: the API is there and tells of the session."""

    decisions: list[Seen]
    session: SessionNow | None
    is_following: bool


def seen(decision: Decision, number: int, now: int) -> Seen:
    """The decision without addresses, headers and whatever else is not for showing."""
    event, request, reason = decision.event, decision.request, decision.reason
    why = words(reason) if reason else None
    if event is None:
        return Seen(
            number=number, time=now, kind="none", method=request.method, path=request.path,
            reason=reason, why=why,
        )  # fmt: skip
    return Seen(
        number=number,
        time=now,
        kind=event.kind,
        method=event.method,
        path=event.path,
        status=event.status,
        name=event.name if isinstance(event.name, str) else None,
        event_id=event.event_id,
        reason=reason,
        why=why,
    )


def latest(sessions: dict[str, SessionUpdate]) -> SessionUpdate | None:
    """The session that goes on: not one that another took in, and the newest of the rest."""
    standing = [one for one in sessions.values() if one.status != "merged"]
    return max(standing, key=lambda one: one.start, default=None)


def session_now(update: SessionUpdate, dashboard: str) -> SessionNow:
    """What of a session is shown. ``dashboard`` is the address of the dashboard's page."""
    return SessionNow(
        session_id=update.session_id,
        status=update.status,
        revision=update.revision,
        events=update.events,
        pages=update.pages,
        api_calls=update.api_calls,
        custom_events=update.custom_events,
        duration_ms=update.duration_ms,
        url=f"{dashboard}#/session/{update.session_id}",
    )
