"""Visitor ids without a cookie that hold for a day, and that nobody can work out afterwards.

An id is ``~``, a route of three hexadecimal digits, a dot, and 32 more digits. The digits are a
hash under the day's key, made of the site's secret and the day's salt, which is deleted after
two days. The route is a hash under a key that stays, so that a visitor's events keep coming to
the same place when the day ends; one in 4,096 visitors has the same.
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

from contracts.settings import Secret
from interceptor.identity import Identity, Names, derived_key, visitor_text
from interceptor.salts import DAY_MS, SaltBook, day_text

REMEMBERED = 8192
CACHEABLE = 256
"""Who has a longer User-Agent is worked out each time, so that the memory stays bounded."""

ROUTE_DIGITS = 3

Keys = dict[int, blake2b]
Tell = Callable[[int, bool, str | None, str], Names]
"""(day of arrival, whether to say the name of the day before, address, User-Agent) → names"""


class Rotating(Identity):
    """Names by address and User-Agent, new ones each day at midnight UTC.

    For ``overlap_ms`` after midnight they come with yesterday's, so that a visit goes on.
    """

    def __init__(self, site_id: str, secret: Secret, salts: SaltBook, overlap_ms: int) -> None:
        self.salts = self._salts = salts
        self._site_id, self._secret, self._overlap_ms = site_id, secret, overlap_ms
        self._route = blake2b(key=derived_key(secret, b"cw-route"), digest_size=2)
        self._era = self._begin_era()

    def names(self, address: str | None, agent: str, arrived: int, given: object) -> Names:
        """The names of the day of arrival."""
        version, recall, work_out = self._era
        if version is not self._salts.version:
            _, recall, work_out = self._era = self._begin_era()
        day, since_midnight = divmod(arrived, DAY_MS)
        tell = recall if len(agent) <= CACHEABLE else work_out
        return tell(day, since_midnight < self._overlap_ms, address, agent)

    def _begin_era(self) -> tuple[object, Tell, Tell]:
        """Keys and remembered names for as long as no salt changes or is forgotten."""
        # First: if a salt changes from here on, the next request finds the version outdated.
        version = self._salts.version
        keys: Keys = {}

        def work_out(day: int, overlaps: bool, address: str | None, agent: str) -> Names:
            text = visitor_text(self._site_id, address, agent)
            begin = f"~{_hashed(self._route, text)[:ROUTE_DIGITS]}."
            now = begin + _hashed(self._key(keys, day), text)
            if not overlaps or self._salts.known(day - 1) is None:
                return Names(now)
            return Names(now, begin + _hashed(self._key(keys, day - 1), text))

        # A visitor sends several requests, and this is quicker than hashing.
        return version, lru_cache(REMEMBERED)(work_out), work_out

    def _key(self, keys: Keys, day: int) -> "blake2b":
        """The day's keyed hash, ready to be copied."""
        key = keys.get(day)
        if key is None:
            material = f"{self._site_id}\0{day_text(day)}\0".encode() + self._salts.salt(day)
            derived = derived_key(self._secret, b"cw-day", material)
            key = keys[day] = blake2b(key=derived, digest_size=16)
        return key


def _hashed(keyed: "blake2b", text: bytes) -> str:
    digest = keyed.copy()
    digest.update(text)
    return digest.hexdigest()
