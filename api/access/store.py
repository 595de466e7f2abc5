"""Keys and log-ins in the database."""

from typing import Any, NamedTuple, cast

from sqlalchemy import Connection, Table, and_, delete, insert, or_, select, update

from api.access import tokens
from api.access.models import ApiKeyRow, LoginRow
from api.access.scopes import SCOPES, Access, Scope

LAST_USE_MS = 60_000
"""A key's last use is written at most this often."""

_KEYS = cast("Table", ApiKeyRow.__table__)
_LOGINS = cast("Table", LoginRow.__table__)


class KeyWish(NamedTuple):
    """What a new key shall be."""

    name: str
    scopes: frozenset[Scope]
    site: str | None = None
    expires: int | None = None


def create_key(connection: Connection, wish: KeyWish, now: int) -> tokens.NewKey:
    """Make and keep a key; its text cannot be had again."""
    made = tokens.new_key()
    row = {
        "key_id": made.id,
        "digest": tokens.digest(made.text),
        "name": wish.name,
        "scopes": ",".join(scope for scope in SCOPES if scope in wish.scopes),
        "site_id": wish.site,
        "created": now,
        "expires": wish.expires,
    }
    connection.execute(insert(_KEYS).values(row))
    return made


def all_keys(connection: Connection) -> list[Any]:
    """Every key's row, the newest first."""
    query = select(_KEYS).order_by(_KEYS.c.created.desc(), _KEYS.c.key_id)
    return list(connection.execute(query))


def has_key(connection: Connection, now: int) -> bool:
    """Whether any key is good."""
    query = select(_KEYS.c.key_id).where(_is_good(now)).limit(1)
    return connection.execute(query).first() is not None


def revoke_key(connection: Connection, key_id: str, now: int) -> bool:
    """End a key and all log-ins with it; False when there is none that could be ended."""
    is_it = and_(_KEYS.c.key_id == key_id, _KEYS.c.revoked.is_(None))
    done = connection.execute(update(_KEYS).where(is_it).values(revoked=now))
    connection.execute(delete(_LOGINS).where(_LOGINS.c.key_id == key_id))
    return bool(done.rowcount)


def access_by_key(connection: Connection, text: str, now: int) -> Access | None:
    """What the key allows; None when it is unknown, revoked or over."""
    key_id = tokens.key_id(text)
    if key_id is None:
        return None
    found = connection.execute(select(_KEYS).where(_KEYS.c.key_id == key_id)).one_or_none()
    # Compared even against nothing, so that an answer's time does not tell which ids exist.
    is_same = tokens.is_same(found.digest if found else "", text)
    if found is None or not is_same or found.revoked is not None:
        return None
    access = _access(found, found.expires)
    return None if access.is_over(now) else access


def access_by_login(connection: Connection, token: str, now: int) -> Access | None:
    """What the log-in allows; None when it or its key is over."""
    query = (
        select(_KEYS, _LOGINS.c.expires.label("until"))
        .join(_LOGINS, _LOGINS.c.key_id == _KEYS.c.key_id)
        .where(_LOGINS.c.digest == tokens.digest(token), _LOGINS.c.expires > now, _is_good(now))
    )
    found = connection.execute(query).one_or_none()
    return None if found is None else _access(found, found.until)


def log_in(connection: Connection, access: Access, now: int, until: int) -> str:
    """Keep a log-in until then, or until its key ends; the token for the cookie."""
    token = tokens.new_login()
    connection.execute(delete(_LOGINS).where(_LOGINS.c.expires <= now))
    row = {
        "digest": tokens.digest(token),
        "key_id": access.key_id,
        "created": now,
        "expires": until if access.expires is None else min(until, access.expires),
    }
    connection.execute(insert(_LOGINS).values(row))
    return token


def log_out(connection: Connection, token: str) -> bool:
    """Forget a log-in; False when there was none."""
    done = connection.execute(delete(_LOGINS).where(_LOGINS.c.digest == tokens.digest(token)))
    return bool(done.rowcount)


def note_use(connection: Connection, key_id: str, now: int) -> None:
    """Remember that the key was used, unless that was written a moment ago."""
    is_due = or_(_KEYS.c.last_used.is_(None), _KEYS.c.last_used <= now - LAST_USE_MS)
    is_it = and_(_KEYS.c.key_id == key_id, is_due)
    connection.execute(update(_KEYS).where(is_it).values(last_used=now))


def _is_good(now: int) -> Any:
    return and_(_KEYS.c.revoked.is_(None), or_(_KEYS.c.expires.is_(None), _KEYS.c.expires > now))


def _access(row: Any, expires: int | None) -> Access:
    return Access(
        scopes=frozenset(cast("list[Scope]", row.scopes.split(","))),
        key_id=row.key_id,
        name=row.name,
        site=row.site_id,
        expires=expires,
    )
