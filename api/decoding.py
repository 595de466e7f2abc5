"""From a record's bytes to the contract's message."""

from collections.abc import Container
from typing import Any

import msgspec

from contracts import SCHEMA_VERSION, Message
from contracts.topics import TOPICS

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    topic.role: msgspec.json.Decoder(topic.value) for topic in TOPICS
}


class UnreadableError(Exception):
    """A record breaks its topic's contract; it is skipped. The message says how."""


def decode(role: str, value: bytes) -> Message:
    """The message in a record of the topic with that role. Raises UnreadableError."""
    try:
        message = _DECODERS[role].decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableError(str(error)) from None
    if message.schema_version != SCHEMA_VERSION:
        raise UnreadableError(f"schema_version {message.schema_version} is not {SCHEMA_VERSION}")
    return message  # type: ignore[no-any-return]


def is_shown(message: Message, sites: Container[str]) -> bool:
    """Whether a message belongs to one of the sites; messages without a site always do."""
    site: str | None = getattr(getattr(message, "event", message), "site_id", None)
    return not sites or site is None or site in sites
