"""Passwords are kept as scrypt hashes (RFC 7914), each with a salt of its own."""

import hashlib
import hmac
import secrets

COST, BLOCK, PARALLEL = 2**14, 8, 1


def hashed(password: str) -> str:
    """``salt$digest`` in hexadecimal. Takes some 50 ms by design: call it on a thread."""
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}${_digest(password, salt).hex()}"


def matches(password: str, stored: str) -> bool:
    """Whether the password is the one behind the hash, in constant time."""
    salt, _, digest = stored.partition("$")
    return hmac.compare_digest(_digest(password, bytes.fromhex(salt)).hex(), digest)


def _digest(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "replace"), salt=salt, n=COST, r=BLOCK, p=PARALLEL
    )
