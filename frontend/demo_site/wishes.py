"""What a browser says about being recorded, as the pages show it."""

from collections.abc import Mapping

import msgspec


class Wishes(msgspec.Struct, frozen=True):
    """``dnt`` and ``gpc``: the request's headers; ``opted_out``: the shop's own switch."""

    dnt: bool
    gpc: bool
    opted_out: bool

    @property
    def is_recorded(self) -> bool:
        """Whether the shop's middleware, as the demo sets it, logs this visitor's requests."""
        return not (self.dnt or self.gpc or self.opted_out)


def wishes_of(headers: Mapping[str, str], cookies: Mapping[str, str], cookie: str) -> Wishes:
    """Those of a request. ``cookie`` is the name of the switch's."""
    return Wishes(
        dnt=headers.get("dnt") == "1",
        gpc=headers.get("sec-gpc") == "1",
        opted_out=cookies.get(cookie, "0") not in ("", "0"),
    )
