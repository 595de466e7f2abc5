"""``./clickwake keys``: make, list and revoke API keys in the history's database."""

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Engine

from api.access import audit, store
from api.access.audit import Entry
from api.access.scopes import SCOPES, Scope
from api.history.engine import changing
from contracts import ContractError
from contracts.events import SiteId
from contracts.instants import format_instant, parse_instant
from contracts.settings import DURATION_PATTERN, milliseconds

ACTOR = "command line"
_NAME = re.compile(r"[\w .,:@/+-]{1,64}")


class KeyCommandError(ContractError):
    """The command cannot be carried out. The message says what to write instead."""


def parser() -> argparse.ArgumentParser:
    """The command's words."""
    whole = argparse.ArgumentParser(
        prog="clickwake keys", description="Make, list and revoke API keys."
    )
    commands = whole.add_subparsers(dest="command", required=True)
    create = commands.add_parser("create", help="make a key, which is shown once")
    create.add_argument(
        "--scope",
        action="append",
        choices=SCOPES,
        required=True,
        help="what it allows; may be given several times",
    )
    create.add_argument("--name", default="", help="what it is for")
    create.add_argument(
        "--site", help="the only site that it may read and whose events it may send"
    )
    create.add_argument("--expires", help="after this (30d) or at this time; never by default")
    shown = commands.add_parser("list", help="show all keys, without their secrets")
    shown.add_argument("--json", action="store_true", help="for programs")
    revoke = commands.add_parser("revoke", help="end a key and every log-in with it")
    revoke.add_argument("key_id", metavar="ID", help="as `keys list` shows it")
    return whole


def create(engine: Engine, options: argparse.Namespace, now: int) -> str:
    """Make a key; its text."""
    wish = _wish(options, now)
    with changing(engine) as connection:
        made = store.create_key(connection, wish, now)
        allowed = ", ".join(scope for scope in SCOPES if scope in wish.scopes)
        entry = Entry("key_created", ACTOR, f"key {made.id}", detail=f"{wish.name}: {allowed}")
        audit.record(connection, entry, now)
    return made.text


def revoke(engine: Engine, key_id: str, now: int) -> None:
    """End a key. KeyCommandError when there is none with that id, or it has ended."""
    with changing(engine) as connection:
        if not store.revoke_key(connection, key_id, now):
            raise KeyCommandError(
                f"no good key has the id {key_id[:64]!r}: `./clickwake keys list` shows them"
            )
        audit.record(connection, Entry("key_revoked", ACTOR, f"key {key_id}"), now)


def listing(engine: Engine, now: int, *, as_json: bool) -> str:
    """All keys, for people or for programs."""
    with engine.connect() as connection:
        rows = store.all_keys(connection)
    if as_json:
        found = [{k: v for k, v in row._mapping.items() if k != "digest"} for row in rows]
        return msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
    if not rows:
        return "There are no keys: make one with `./clickwake keys create --scope read`."
    return "\n".join(_table([_HEAD, *(tuple(_cells(row, now)) for row in rows)]))


def wall_clock() -> int:
    """ms since 1970 UTC."""
    return time.time_ns() // 1_000_000


_HEAD = ("id", "name", "scopes", "site", "made", "last used", "state")


def _cells(row: Any, now: int) -> Iterator[str]:
    yield from (row.key_id, row.name or "–", row.scopes, row.site_id or "all")
    yield format_instant(row.created)
    yield format_instant(row.last_used) if row.last_used is not None else "never"
    yield _state(row, now)


def _state(row: Any, now: int) -> str:
    if row.revoked is not None:
        return f"revoked {format_instant(row.revoked)}"
    if row.expires is None:
        return "good"
    word = "until" if row.expires > now else "expired"
    return f"{word} {format_instant(row.expires)}"


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _wish(options: argparse.Namespace, now: int) -> store.KeyWish:
    scopes: frozenset[Scope] = frozenset(options.scope)
    if options.name and not _NAME.fullmatch(options.name):
        raise KeyCommandError("--name takes up to 64 letters, digits, blanks and . , : @ / + -")
    if options.site is not None:
        _check_site(options.site, scopes)
    return store.KeyWish(options.name, scopes, options.site, _expiry(options.expires, now))


def _check_site(site: str, scopes: frozenset[Scope]) -> None:
    if scopes != {"ingest"}:
        raise KeyCommandError(
            "--site binds what a key sends, not what it reads: give it --scope ingest"
        )
    try:
        msgspec.convert(site, SiteId)
    except msgspec.ValidationError:
        raise KeyCommandError(
            "--site takes up to 64 letters, digits, dots, dashes and underscores"
        ) from None


def _expiry(text: str | None, now: int) -> int | None:
    if text is None:
        return None
    try:
        is_duration = re.match(DURATION_PATTERN, text) is not None
        expires = now + milliseconds(text) if is_duration else parse_instant(text)
    except ValueError:
        raise KeyCommandError(
            "--expires takes a duration such as 90d, or a time such as 2027-01-01T00:00:00Z"
        ) from None
    if expires <= now:
        raise KeyCommandError("--expires is in the past: choose a later time")
    return expires
