"""What every message has in common."""

import msgspec

SCHEMA_VERSION = 1
"""The version this code writes, and the only one it reads."""


class ContractError(Exception):
    """A value breaks a contract. The message says which and what would be right."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A record on a topic: one JSON object in UTF-8.

    Readers ignore fields they do not know, so adding an optional field keeps the version;
    any other change raises it.
    """

    schema_version: int = SCHEMA_VERSION


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a message, without a version of its own."""
