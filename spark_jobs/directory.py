"""Who is known in a bucket, under every name: visitors whose ids rotate stay one visitor. Pure.

An event may name the id that its visitor had before. If it is accepted, both ids mean one visitor
from then on, with the events of both. An event that is late links nothing: a batch job over what
was accepted would not have seen it. What was forgotten, and what only happens to be still in
memory, are treated alike, so it does not matter how records fall into batches.
"""

from collections.abc import Callable, Iterator

import msgspec

from contracts import WATERMARK_END, RequestEvent
from spark_jobs.joining import joined
from spark_jobs.packing import Shelf, alias, aliased
from spark_jobs.rules import Rules
from spark_jobs.sessions import Kept
from spark_jobs.told import Owner
from spark_jobs.visitor import Outcome, Visitor, VisitorState

MAX_NAMES = 400
"""A year of a visitor that never rests. Nobody may make a visitor grow without end."""

_packer = msgspec.msgpack.Encoder()
_read = msgspec.msgpack.Decoder(VisitorState).decode


class Directory:
    """The visitors of one bucket that are being worked on. ``shelf`` opens what is stored."""

    def __init__(self, shelf: Callable[[], Shelf], rules: Rules, retold: int) -> None:
        self._shelf = shelf
        self._rules = rules
        self._retold = retold
        self._touched: dict[str, Visitor] = {}
        self._aliases: dict[str, str] = {}
        self._gone: list[Visitor] = []

    def __bool__(self) -> bool:
        return bool(self._touched or self._gone)

    def accept(self, event: RequestEvent, kept: Kept, context: bytes, watermark: int) -> Outcome:
        """Give the event to its visitor. Sets ``kept.who``."""
        site, name, previous = event.site_id, event.visitor_id, event.previous_visitor_id
        visitor = self._touched.get(f"{site}/{name}")
        if visitor is not None and previous is None and not visitor.owner.others:
            return visitor.accept(kept, context, watermark)
        visitor = self._known(site, name, watermark)
        if previous is not None and not (visitor and visitor.owner.goes_by(previous)):
            return self._accept_linking(visitor, event, kept, context, watermark)
        visitor = visitor or self._new(site, name)
        kept.who = visitor.owner.number_of(name)
        return visitor.accept(kept, context, watermark)

    def take_overdue(self, watermark: int) -> None:
        """Take all stored visitors to work whose deadline is before the watermark."""
        for key in self._shelf().overdue(watermark):
            if self._aliases.get(key, key) not in self._touched:
                self._stored(*key.split("/", 1))

    def settle(self, watermark: int) -> Iterator[Visitor]:
        """Each visitor with its changes; then it is stored again, or forgotten."""
        yield from self._gone
        for key, visitor in self._touched.items():
            deadline = visitor.settle(watermark)
            yield visitor
            if deadline is None:
                self._forget(visitor)
            else:
                self._shelf().put(key, deadline, _packer.encode(visitor.state))
        self._touched, self._aliases, self._gone = {}, {}, []

    def _accept_linking(
        self,
        visitor: Visitor | None,
        event: RequestEvent,
        kept: Kept,
        context: bytes,
        watermark: int,
    ) -> Outcome:
        site, name, previous = event.site_id, event.visitor_id, event.previous_visitor_id or ""
        before = self._known(site, previous, watermark)
        known = [one for one in (before, visitor) if one]
        has_room = sum(1 + len(one.owner.others) for one in known) < MAX_NAMES
        if before and visitor and has_room:
            both = joined(before, visitor, watermark)
        else:
            both = (before if has_room else None) or visitor or self._new(site, name)
        kept.who = both.owner.number_of(name)
        outcome = both.accept(kept, context, watermark)
        if outcome == "accepted" and has_room:
            self._link(both, {name, previous})
            self._gone += [one for one in known if one is not both]
        return outcome

    def _link(self, visitor: Visitor, names: set[str]) -> None:
        owner = visitor.owner
        owner.others.extend(sorted(names - {owner.visitor_id, *owner.others}))
        self._touched[owner.key] = visitor
        for name in owner.others:
            key = f"{owner.site_id}/{name}"
            self._touched.pop(key, None)
            self._aliases[key] = owner.key
            self._shelf().put(key, WATERMARK_END, alias(owner.visitor_id))

    def _known(self, site: str, name: str, watermark: int) -> Visitor | None:
        """Who goes by that name, unless all of it is to be forgotten by now."""
        key = f"{site}/{name}"
        visitor = self._touched.get(self._aliases.get(key, key)) or self._stored(site, name)
        # In batches that end here and now, settling would have dropped it.
        if visitor is None or not visitor.is_forgotten(watermark):
            return visitor
        self._gone.append(visitor)
        self._touched.pop(visitor.owner.key)
        self._forget(visitor)
        return None

    def _forget(self, visitor: Visitor) -> None:
        owner = visitor.owner
        for name in (owner.visitor_id, *owner.others):
            key = f"{owner.site_id}/{name}"
            self._aliases.pop(key, None)
            self._shelf().drop(key)

    def _stored(self, site: str, name: str) -> Visitor | None:
        packed = self._shelf().get(f"{site}/{name}")
        if packed is None:
            return None
        target = aliased(packed)
        return self._opened(site, name, _read(packed)) if target is None else self._of(site, target)

    def _of(self, site: str, name: str) -> Visitor | None:
        return self._touched.get(f"{site}/{name}") or self._stored(site, name)

    def _new(self, site: str, name: str) -> Visitor:
        return self._opened(site, name, VisitorState())

    def _opened(self, site: str, name: str, state: VisitorState) -> Visitor:
        owner = Owner(site, name, state.names)
        visitor = self._touched[owner.key] = Visitor(owner, state, self._rules, self._retold)
        for other in owner.others:
            self._aliases[f"{site}/{other}"] = owner.key
        return visitor
