"""What the middleware decided about a request, for an application that wants to know."""

from collections.abc import Callable

import msgspec

from contracts import RequestEvent
from interceptor.capture import Request
from interceptor.guard import Guard


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One request, or one report of a page, and what became of it.

    ``event`` is what was logged, just as it goes to Kafka; None: nothing was, and ``reason`` is
    the ledger's code for why. With both, it should have been logged and was lost. ``request`` has
    the headers that the middleware read; ``address`` is the visitor's, as far as anything
    trustworthy says it. None of it is meant to be kept: it has whole addresses.
    """

    request: Request
    address: str | None
    event: RequestEvent | None = None
    reason: str | None = None


Observe = Callable[[Decision], None]
"""Called once for each decision, where the answer is served: it must return at once."""


class Witness:
    """Tells an observer of each decision. What the observer raises stays in here."""

    def __init__(
        self, observe: Observe, address_of: Callable[[Request], str | None], guard: Guard
    ) -> None:
        self._observe, self._address_of, self._guard = observe, address_of, guard

    def dropped(self, request: Request, reason: str) -> None:
        """It was chosen not to log this one."""
        self._tell(request, None, reason)

    def logged(self, request: Request, event: RequestEvent, *, taken: bool) -> None:
        """This one is on its way; or it is lost, when it was not taken."""
        self._tell(request, event, None if taken else "lost")

    def _tell(self, request: Request, event: RequestEvent | None, reason: str | None) -> None:
        with self._guard:
            address = self._address_of(request)
            self._observe(Decision(request=request, address=address, event=event, reason=reason))
