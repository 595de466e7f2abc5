"""What a recomputation found against what the history keeps. Pure; both come as streams.

Both streams are ordered by (start, session_id), descending, as the history's own pages are.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec

from contracts import SessionUpdate

OWN_TO_A_RUN = frozenset({"epoch", "revision", "processed_time", "status", "schema_version"})
"""What differs between two runs that agree. The status is a matter of when one looks."""

FROM_FILE = "from_file"
"""The flag of what a backfill took from a file. It says nothing about the session itself."""

_encode = msgspec.json.Encoder(order="sorted").encode


Kind = Literal["added", "changed", "gone"]


class Found(msgspec.Struct, frozen=True, gc=False):
    """A recomputed session. ``is_settled``: no event in time can change it any more."""

    session: SessionUpdate
    is_settled: bool


class Difference(msgspec.Struct, frozen=True, gc=False):
    """A session that is not the same on both sides.

    ``kept`` is the history's, None for one that is added. ``found`` is the recomputed one: for
    a session that is gone the one that holds what it began with.
    """

    kind: Kind
    kept: SessionUpdate | None
    found: SessionUpdate

    @property
    def subject(self) -> SessionUpdate:
        """The session it is about."""
        return self.kept or self.found

    def fields(self, ignored: frozenset[str] = OWN_TO_A_RUN) -> list[tuple[str, object, object]]:
        """(name, kept, found) of each field that differs."""
        before = _fields(self.kept) if self.kept else {}
        after = _fields(self.found)
        return [
            (name, before.get(name), after[name])
            for name in SessionUpdate.__struct_fields__
            if name not in ignored and before.get(name) != after[name]
        ]


class Digest:
    """A digest of a set of sessions, whatever their order: the sum of their SHA-256."""

    def __init__(self, ignored: frozenset[str] = OWN_TO_A_RUN) -> None:
        self._ignored = ignored
        self._sum = 0
        self.count = 0

    def add(self, session: SessionUpdate) -> None:
        """Take one in."""
        self._sum = (self._sum + self._number(session)) % 2**256
        self.count += 1

    def remove(self, session: SessionUpdate) -> None:
        """Take one out again."""
        self._sum = (self._sum - self._number(session)) % 2**256
        self.count -= 1

    def __str__(self) -> str:
        return f"{self._sum:064x}"

    def _number(self, session: SessionUpdate) -> int:
        return int.from_bytes(hashlib.sha256(content(session, self._ignored)).digest())


def content(session: SessionUpdate, ignored: frozenset[str] = OWN_TO_A_RUN) -> bytes:
    """What two runs must agree on, as bytes."""
    fields = _fields(session)
    return _encode({name: fields[name] for name in fields if name not in ignored})


def _fields(session: SessionUpdate) -> dict[str, object]:
    flags = [flag for flag in session.flags if flag != FROM_FILE]
    return {**msgspec.to_builtins(session), "flags": flags}


class Comparison:
    """Both sides of a period, and where they differ.

    ``moving`` sessions are not settled yet; ``orphans`` of the history were found nowhere.
    ``ignored`` are the fields in which nothing is a difference.
    """

    def __init__(self, ignored: frozenset[str] = OWN_TO_A_RUN) -> None:
        self.ignored = ignored
        self.found, self.kept = Digest(ignored), Digest(ignored)
        self.same = self.moving = 0
        self.differences: list[Difference] = []
        self.unmatched: list[SessionUpdate] = []
        self.orphans: list[SessionUpdate] = []

    def run(self, found: Iterable[Found], kept: Iterable[SessionUpdate]) -> "Comparison":
        """Go through both streams once."""
        for one, other in aligned(iter(found), iter(kept)):
            if one is not None and not one.is_settled:
                self.moving += 1
            else:
                self._take(one.session if one else None, other)
        return self

    def _take(self, found: SessionUpdate | None, kept: SessionUpdate | None) -> None:
        if kept is not None:
            self.kept.add(kept)
        if found is not None:
            self.found.add(found)
            self._compare(found, kept)
        elif kept is not None:
            self.unmatched.append(kept)

    def _compare(self, found: SessionUpdate, kept: SessionUpdate | None) -> None:
        if kept is None:
            self.differences.append(Difference("added", None, found))
        elif content(found, self.ignored) != content(kept, self.ignored):
            self.differences.append(Difference("changed", kept, found))
        else:
            self.same += 1

    def resolve(self, sessions: Iterable[Found]) -> None:
        """Find out who took in the unmatched, given all found sessions of their visitors."""
        by_visitor: dict[tuple[str, str], list[Found]] = {}
        for one in sessions:
            for name in (one.session.visitor_id, *one.session.other_visitor_ids):
                by_visitor.setdefault((one.session.site_id, name), []).append(one)
        for lost in self.unmatched:
            self._settle(lost, _holder(lost, by_visitor.get((lost.site_id, lost.visitor_id), [])))
        self.unmatched = []

    def _settle(self, lost: SessionUpdate, holder: Found | None) -> None:
        if holder is None:
            self.orphans.append(lost)
        elif holder.is_settled:
            self.differences.append(Difference("gone", lost, holder.session))
        else:
            self.kept.remove(lost)
            self.moving += 1

    def restrict(self, begin: int, end: int) -> int:
        """Leave out what belongs to sessions outside of [begin, end); how many began earlier."""
        outside = [one for one in self.differences if not begin <= one.found.start < end]
        for one in outside:
            self._forget(one)
        self.differences = [one for one in self.differences if begin <= one.found.start < end]
        return sum(one.found.start < begin for one in outside)

    def leave_out(self, is_explained: Callable[[SessionUpdate], bool]) -> int:
        """Leave out orphans that are no wonder; how many there were."""
        explained = [one for one in self.orphans if is_explained(one)]
        self.orphans = [one for one in self.orphans if not is_explained(one)]
        for one in explained:
            self.kept.remove(one)
        return len(explained)

    def _forget(self, one: Difference) -> None:
        if one.kept is not None:
            self.kept.remove(one.kept)
        if one.kind != "gone":
            self.found.remove(one.found)

    def count(self, kind: str) -> int:
        """How many differences are of a kind."""
        return sum(one.kind == kind for one in self.differences)


def _holder(lost: SessionUpdate, sessions: list[Found]) -> Found | None:
    covering = (one for one in sessions if one.session.start <= lost.start <= one.session.expires)
    return max(covering, key=lambda one: one.session.start, default=None)


def aligned(
    found: Iterator[Found], kept: Iterator[SessionUpdate]
) -> Iterator[tuple[Found | None, SessionUpdate | None]]:
    """Both streams side by side: what has the same id stands together."""
    one, other = next(found, None), next(kept, None)
    while one is not None or other is not None:
        mine = _rank(one.session if one else None)
        theirs = _rank(other)
        yield (one if mine >= theirs else None), (other if theirs >= mine else None)
        if mine >= theirs:
            one = next(found, None)
        if theirs >= mine:
            other = next(kept, None)


def _rank(session: SessionUpdate | None) -> tuple[bool, int, str]:
    if session is None:
        return (False, 0, "")
    return (True, session.start, session.session_id)
