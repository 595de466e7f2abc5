"""The live channel: its address, its messages, and whether one is missing. No I/O."""

import msgspec

from contracts.live import Heartbeat, Pong, Snapshot, Update

PATH = "/api/v1/live"
PATIENCE_SECONDS = 20.0
"""The API says something every five seconds; after this long the connection is dead."""

LiveMessage = Snapshot | Update | Heartbeat

_decoder: msgspec.json.Decoder[LiveMessage | Pong] = msgspec.json.Decoder(
    Snapshot | Update | Heartbeat | Pong
)


class MissedError(Exception):
    """A message is missing or cannot be read: connect again, which begins with a snapshot."""


def live_address(address: str) -> str:
    """``http://host:8020`` → ``ws://host:8020/api/v1/live``."""
    return "ws" + address.removeprefix("http").rstrip("/") + PATH


class Follower:
    """One connection's messages in order, from its snapshot on."""

    def __init__(self) -> None:
        self._expected = 1

    def take(self, text: str | bytes) -> LiveMessage | None:
        """The message; None for one that is not for the reader. Raises MissedError."""
        try:
            message = _decoder.decode(text)
        except msgspec.MsgspecError as error:
            raise MissedError(f"it cannot be read: {error}") from None
        if isinstance(message, Pong):
            return None
        if message.sequence != self._expected:
            raise MissedError(f"message {self._expected} is missing")
        self._expected += 1
        return message
