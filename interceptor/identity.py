"""Who a visitor is: what all the ways to tell have in common, and the simplest of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple

from contracts.settings import Secret
from interceptor.cookie import VisitorCookie
from interceptor.salts import SaltBook

Identify = Callable[[str, str | None, str], str]
"""(site_id, client address, User-Agent) → visitor id of 1 to 128 characters."""


class Names(NamedTuple):
    """What a visitor is called, and was called until a short while ago."""

    now: str
    before: str | None = None


class Identity(ABC):
    """One site's way to tell who a visitor is.

    ``cookie`` is set when one has to be read and given out, ``asks_application`` when the
    application may say who it is, ``salts`` when there are some to be shared.
    """

    cookie: VisitorCookie | None = None
    asks_application: bool = False
    salts: SaltBook | None = None

    @abstractmethod
    def names(self, address: str | None, agent: str, arrived: int, given: object) -> Names:
        """The names of whoever asked.

        ``arrived`` is in ms since 1970 UTC. ``given`` is what the visitor's cookie or the
        application says, and None when neither says anything.
        """


class Fixed(Identity):
    """Names by a function of site, address and User-Agent, which never change."""

    def __init__(self, site_id: str, identify: Identify) -> None:
        self._site_id, self._identify = site_id, identify

    def names(self, address: str | None, agent: str, arrived: int, given: object) -> Names:
        """The function's answer."""
        return Names(self._identify(self._site_id, address, agent))


def keyed_hash(secret: Secret) -> Identify:
    """Visitor ids of 32 hexadecimal digits from site, address and User-Agent.

    The key never changes, so a returning visitor is known again for as long as the address
    stays. The same visitor has unrelated ids on two sites. Keyed BLAKE2b, RFC 7693.
    """
    keyed = blake2b(key=master_key(secret), digest_size=16)

    def identify(site_id: str, address: str | None, agent: str) -> str:
        digest = keyed.copy()
        digest.update(visitor_text(site_id, address, agent))
        return digest.hexdigest()

    return identify


def master_key(secret: Secret) -> bytes:
    """32 bytes of a secret of any length."""
    return blake2b(secret.encode(), digest_size=32).digest()


def derived_key(secret: Secret, purpose: bytes, material: bytes = b"") -> bytes:
    """32 bytes for one ``purpose`` of at most 16 bytes, which tell nothing of another one's."""
    keyed = blake2b(material, key=master_key(secret), person=purpose, digest_size=32)
    return keyed.digest()


def visitor_text(site_id: str, address: str | None, agent: str) -> bytes:
    """What is hashed."""
    return f"{site_id}\0{address or ''}\0{agent}".encode("utf-8", "replace")
