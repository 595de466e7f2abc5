"""With which code and reason a live connection ends; ``docs/api.md`` explains them."""

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from api.live.admission import RefusedError
from api.live.broadcast import ChatterError, EndingError
from api.live.crowd import CrowdedError
from api.live.door import SilentError
from api.live.filters import OtherSiteError
from api.live.hub import TooManyGroupsError

CLOSINGS: dict[type[Exception], tuple[int, str]] = {
    msgspec.MsgspecError: (1008, "a message is not one of live-client.schema.json: {}"),
    UnicodeDecodeError: (1008, "messages are JSON in UTF-8"),
    RecursionError: (1008, "messages are not nested so deeply"),
    SQLAlchemyError: (1013, "the database that knows the keys does not answer: try again"),
    EndingError: (1012, "the server restarts: connect again"),
    RefusedError: (4001, "{}"),
    OtherSiteError: (4003, "{}"),
    SilentError: (4002, "no hello came in time"),
    TimeoutError: (4008, "too slow: read faster, or subscribe to less"),
    TooManyGroupsError: (4009, "too many different subscriptions: use a broader one"),
    ChatterError: (4010, "too many messages: a few a minute are enough"),
    CrowdedError: (4029, "{}"),
}
_LONGEST_REASON = 120
"""In bytes: a closing frame holds no more (RFC 6455, 5.5)."""


def closing(error: Exception) -> tuple[int, str]:
    """The closing frame's code and reason."""
    code, form = next(how for kind, how in CLOSINGS.items() if isinstance(error, kind))
    reason = form.format(error).encode()[:_LONGEST_REASON]
    return code, reason.decode(errors="ignore")
