"""API keys and log-in tokens as text, and what is kept of them. Pure but for randomness.

Both hold 256 random bits, so one SHA-256 is a safe thing to keep: nobody can guess their way
back, as with passwords, and each request can afford it.
"""

import hashlib
import re
import secrets
from typing import NamedTuple

_KEY = re.compile(r"cw_([0-9a-f]{12})_[0-9a-f]{64}")
_LOGIN = re.compile(r"cwl_[0-9a-f]{64}")


class NewKey(NamedTuple):
    """A key that was just made: its public id, and the whole text, which is shown once."""

    id: str
    text: str


def new_key() -> NewKey:
    """``cw_<id>_<secret>``."""
    key_id = secrets.token_hex(6)
    return NewKey(key_id, f"cw_{key_id}_{secrets.token_hex(32)}")


def new_login() -> str:
    """What a log-in's cookie holds."""
    return f"cwl_{secrets.token_hex(32)}"


def key_id(text: str) -> str | None:
    """The public id in a key; None when the text is no key."""
    found = _KEY.fullmatch(text)
    return found[1] if found else None


def is_login(text: str) -> bool:
    """Whether the text looks like a log-in's token."""
    return _LOGIN.fullmatch(text) is not None


def digest(text: str) -> str:
    """What is kept of a key or token: SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_same(kept: str, text: str) -> bool:
    """Whether ``kept`` is the digest of ``text``, compared in constant time."""
    return secrets.compare_digest(kept, digest(text))
