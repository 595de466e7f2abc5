"""Visitor ids from what a visitor's cookie or the application says."""

import logging
from hashlib import blake2b
from uuid import UUID

from contracts.settings import Secret
from interceptor.cookie import VisitorCookie
from interceptor.identity import Identity, Names, derived_key

log = logging.getLogger("clickwake.interceptor")

LARGEST_BITS = 1024

KEY = "clickwake.visitor"
"""Where the application says who is logged in: in the ASGI scope or the WSGI environ."""


class Given(Identity):
    """Names of 32 hexadecimal digits by what is given; where nothing is, ``otherwise``'s.

    What is given is hashed with the site's secret: an e-mail address must not leave the
    process, and whoever reads a dashboard must not learn a cookie's value.
    """

    def __init__(
        self,
        site_id: str,
        secret: Secret,
        otherwise: Identity,
        cookie: VisitorCookie | None = None,
    ) -> None:
        self.cookie, self.asks_application = cookie, cookie is None
        self.salts = otherwise.salts
        self._site_id, self._otherwise = site_id, otherwise
        purpose = b"cw-application" if cookie is None else b"cw-cookie"
        self._keyed = blake2b(key=derived_key(secret, purpose), digest_size=16)
        self._has_warned = False

    def names(self, address: str | None, agent: str, arrived: int, given: object) -> Names:
        """One name for ever, or the names of a stranger."""
        text = self._text(given)
        if not text:
            return self._otherwise.names(address, agent, arrived, None)
        digest = self._keyed.copy()
        digest.update(f"{self._site_id}\0".encode() + text)
        return Names(digest.hexdigest())

    def _text(self, given: object) -> bytes:
        """Text, or numbers as text. Asking other things for text may do anything."""
        if isinstance(given, str):
            return given.encode("utf-8", "replace")
        if isinstance(given, bytes):
            return given
        if _is_number(given):
            return str(given).encode()
        is_absent = given is None or given is False
        if not is_absent and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%s is of type %s and not used: set it to text, a number or a UUID",
                KEY,
                type(given).__name__,
            )
        return b""


def _is_number(given: object) -> bool:
    if isinstance(given, int) and not isinstance(given, bool):
        # Python refuses to write out the largest ones.
        return given.bit_length() <= LARGEST_BITS
    return isinstance(given, UUID)
