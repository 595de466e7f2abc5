"""Who a visitor is, without a cookie: a keyed hash that nobody without the key can undo."""

from collections.abc import Callable
from hashlib import blake2b

from contracts.settings import Secret

Identify = Callable[[str, str | None, str], str]
"""(site_id, client address, User-Agent) → visitor id of 1 to 128 characters."""


def keyed_hash(secret: Secret) -> Identify:
    """Visitor ids of 32 hexadecimal digits from site, address and User-Agent.

    The key does not rotate at midnight, so a visit over midnight stays one visit. The same
    visitor has unrelated ids on two sites. Keyed BLAKE2b, RFC 7693.
    """
    key = blake2b(secret.encode(), digest_size=32).digest()
    keyed = blake2b(key=key, digest_size=16)

    def identify(site_id: str, address: str | None, agent: str) -> str:
        digest = keyed.copy()
        digest.update(f"{site_id}\0{address or ''}\0{agent}".encode("utf-8", "replace"))
        return digest.hexdigest()

    return identify
