"""Why a session begins and ends where it does. Pure: from the session and those beside it.

The rule is one (see docs/decisions/0003): silence longer than an event's gap ends a session, and
so do 24 hours and 5,000 events. What a session was told to be says which of them it was.
"""

from api.history.answers import Beginning, End, Neighbour
from contracts import SessionUpdate
from contracts.instants import format_instant

_BOUNDS = {
    "cut_count": "had as many events as a session may have",
    "cut_length": "was as long as a session may be",
}


def beginning(session: SessionUpdate, before: SessionUpdate | None) -> Beginning:
    """Why it begins with its first event; ``before`` is the visitor's session before it."""
    if before is None:
        detail = "It is the first session that the history has of this visitor on the site."
        return Beginning(reason="first", detail=detail, previous=None, silence_ms=None)
    reason, detail = _after(session, before)
    return Beginning(
        reason=reason,
        detail=detail,
        previous=neighbour(before),
        silence_ms=session.start - before.end,
    )


def _after(session: SessionUpdate, before: SessionUpdate) -> tuple[str, str]:
    bound = _bound(before)
    if session.start <= before.expires:
        return "other_rules", (
            "The session before would have taken it in: the two were told by different runs of "
            "the job, whose rules or events differ. ./clickwake verify compares them."
        )
    if bound:
        return bound, f"The session before {_BOUNDS[bound]}, so the next event began this one."
    return "silence", (
        f"The session before would have taken events until {format_instant(before.expires)}; "
        "the first one after it came later."
    )


def end(session: SessionUpdate, after: SessionUpdate | None) -> End:
    """Why it ends with its last event; ``after`` is the visitor's session after it."""
    reason, detail = _until(session)
    return End(
        reason=reason,
        detail=detail,
        next=neighbour(after) if after else None,
        silence_ms=after.start - session.end if after else None,
        expires=session.expires,
    )


def _until(session: SessionUpdate) -> tuple[str, str]:
    bound = _bound(session)
    if session.status == "open":
        return "open", f"It takes events until {format_instant(session.expires)}."
    if bound:
        return bound, f"It {_BOUNDS[bound]}; what came after began another one."
    return "silence", (
        f"No event came until {format_instant(session.expires)}, the end of the gap that its "
        "events bring."
    )


def _bound(session: SessionUpdate) -> str:
    return next((bound for bound in _BOUNDS if bound in session.flags), "")


def neighbour(session: SessionUpdate) -> Neighbour:
    """What is said of a session beside another one."""
    return Neighbour(session_id=session.session_id, start=session.start, end=session.end)
