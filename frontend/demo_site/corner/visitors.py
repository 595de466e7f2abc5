"""Whom the decisions are about. Kept in memory, for the newest visitors only, without addresses."""

import secrets
from collections import OrderedDict
from hashlib import blake2b

from frontend.demo_site.corner.visitor import Messages, Visitor
from interceptor import Decision

MOST = 300
OWN_PATHS = ("/corner/", "/studio/")
"""What the corner and the studio ask for by themselves is nobody's click."""


class Visitors:
    """Visitors by address and browser, as the middleware tells them apart without a cookie."""

    def __init__(self, messages: Messages | None, dashboard: str) -> None:
        self._messages, self._dashboard = messages, dashboard
        self._visitors: OrderedDict[bytes, Visitor] = OrderedDict()
        self._key = secrets.token_bytes(32)

    def observe(self, decision: Decision) -> None:
        """The middleware's observer."""
        request = decision.request
        if not request.path.startswith(OWN_PATHS):
            agent = request.headers.get("user-agent", "")
            self.of(decision.address, agent).note(decision)

    def of(self, address: str | None, agent: str) -> Visitor:
        """The visitor of that address and User-Agent; a new one when nobody knows it."""
        text = f"{address}\0{agent}".encode("utf-8", "replace")
        name = blake2b(text, key=self._key, digest_size=16).digest()
        visitor = self._visitors.get(name)
        if visitor is None:
            visitor = self._visitors[name] = Visitor(self._messages, self._dashboard)
            self._forget_one()
        self._visitors.move_to_end(name)
        return visitor

    def _forget_one(self) -> None:
        """Room for the newest: who was not here for longest goes, unless a page shows it."""
        if len(self._visitors) > MOST:
            idle = (name for name, one in self._visitors.items() if not one.is_watched)
            del self._visitors[next(idle)]
