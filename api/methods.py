"""Addresses that exist, asked with a method that they do not take."""

from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class OtherMethods(BaseRoute):
    """Stands after ``routes``: a 405 for what one of them has under another method.

    Its Allow names the methods of all of them. One route alone knows only its own, and a route
    for any path, such as the dashboard's, would say that there is no such address.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = tuple(routes)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether the address is there under another method."""
        if scope["type"] != "http" or not self._allowed(scope):
            return Match.NONE, {}
        return Match.FULL, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raise the 405."""
        raise HTTPException(405, headers={"Allow": ", ".join(self._allowed(scope))})

    def _allowed(self, scope: Scope) -> list[str]:
        return [method for method in _METHODS if self._takes({**scope, "method": method})]

    def _takes(self, scope: dict[str, Any]) -> bool:
        return any(route.matches(scope)[0] is Match.FULL for route in self._routes)
