"""What a site's processes tell each other, so that they call a visitor by the same name."""

from typing import Annotated

from msgspec import Meta

from contracts.base import Message
from contracts.events import SiteId


class IdentitySalt(Message, frozen=True, kw_only=True):
    """A proposal for the salt of a site's day, from which the day's visitor ids are keyed.

    The first record of a (site, day) in the order of its partition is what all use; the others
    are void. ``day`` is a UTC date, ``salt`` 32 random bytes in hexadecimal. A salt says
    nothing by itself: the key takes the site's secret as well, which is on no topic.
    """

    site_id: SiteId
    day: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    salt: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]

    def key(self) -> bytes:
        """The record's key."""
        return f"{self.site_id}/{self.day}".encode()
