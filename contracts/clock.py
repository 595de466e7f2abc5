"""The time that travels inside a request topic."""

import msgspec

from contracts.base import SCHEMA_VERSION

WATERMARK_START = -(2**53)
"""Resets a topic's clock to before every event: the first record of a replay."""

WATERMARK_END = 2**53
"""After every event: a replay's last word, which makes all of its sessions final."""

WATERMARK_CONTINUED = WATERMARK_START + 1
"""Before every event too: the first record of a topic that goes on where another one ended."""


class WatermarkRecord(msgspec.Struct, frozen=True, kw_only=True):
    """ "Every event before ``watermark`` has been sent." Written with a null key.

    ``watermark`` is in ms since 1970, UTC. ``turn`` counts up by one with each record of the
    topic and says which share of the partition's buckets the record wakes; a ``turn`` of -1
    wakes all of them. The field order is part of the contract: the job recognises the record
    by its first bytes, ``{"watermark":``, without parsing anything else.
    """

    watermark: int
    turn: int
    schema_version: int = SCHEMA_VERSION
