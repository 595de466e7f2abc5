"""The shop's SQLite file: accounts, reviews, orders.

Used from the event loop's thread only. Each call is one short statement on a local file.
"""

import secrets
import sqlite3
import time
from pathlib import Path

import msgspec

SCHEMA = """
create table if not exists secret (value text not null);
create table if not exists account (
    id integer primary key, email text not null unique, name text not null,
    password text not null, created integer not null);
create table if not exists review (
    id integer primary key, product text not null, owner text not null, name text not null,
    rating integer not null, text text not null, created integer not null,
    changed integer not null);
create index if not exists review_of_product on review (product, id);
create table if not exists purchase (
    id integer primary key, owner text not null, cents integer not null,
    articles integer not null, created integer not null);
create index if not exists purchase_of_owner on purchase (owner, id);
"""
KEPT_REVIEWS = 60
"""A product's newest reviews; older ones go, so that sample traffic cannot fill the disk."""
KEPT_PURCHASES = 20_000
KEPT_ACCOUNTS = 20_000
REVIEW_FIELDS = "id, product, owner, name, rating, text, created, changed"


class Account(msgspec.Struct, frozen=True):
    """A customer who signed up."""

    id: int
    email: str
    name: str
    password: str


class Review(msgspec.Struct, frozen=True):
    """What somebody wrote about a product. Times are ms since 1970 UTC."""

    id: int
    product: str
    owner: str
    name: str
    rating: int
    text: str
    created: int
    changed: int


class Purchase(msgspec.Struct, frozen=True):
    """An order that was placed."""

    id: int
    cents: int
    articles: int
    created: int


class EmailTakenError(Exception):
    """Somebody signed up with that address before: log in, or use another one."""


class Store:
    """Opens the file and creates what is missing. ``:memory:`` works too."""

    def __init__(self, database: str) -> None:
        if database != ":memory:":
            Path(database).parent.mkdir(parents=True, exist_ok=True)
        self._sqlite = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        self._sqlite.executescript("pragma journal_mode=wal; pragma synchronous=normal;" + SCHEMA)
        self.secret = self._secret()

    def close(self) -> None:
        """Give the file back."""
        self._sqlite.close()

    def _secret(self) -> str:
        """Made once per file, so that log-ins outlive a restart."""
        row = self._sqlite.execute("select value from secret").fetchone()
        if row is None:
            row = (secrets.token_hex(32),)
            self._sqlite.execute("insert into secret values (?)", row)
        return str(row[0])

    def add_account(self, email: str, name: str, password: str) -> int:
        """A new account's id. Raises EmailTakenError. ``password`` is a hash."""
        try:
            added = self._sqlite.execute(
                "insert into account (email, name, password, created) values (?, ?, ?, ?)",
                (email, name, password, _now()),
            )
        except sqlite3.IntegrityError:
            raise EmailTakenError from None
        self._forget_old("account", KEPT_ACCOUNTS)
        return int(added.lastrowid or 0)

    def account(self, email: str) -> Account | None:
        """The account with that address."""
        row = self._sqlite.execute(
            "select id, email, name, password from account where email = ?", (email,)
        ).fetchone()
        return Account(*row) if row else None

    def account_by_id(self, number: int) -> Account | None:
        """The account with that number."""
        row = self._sqlite.execute(
            "select id, email, name, password from account where id = ?", (number,)
        ).fetchone()
        return Account(*row) if row else None

    def change_account(self, account: Account) -> None:
        """Replace what is known of the account with that id. Raises EmailTakenError."""
        try:
            self._sqlite.execute(
                "update account set email = ?, name = ?, password = ? where id = ?",
                (account.email, account.name, account.password, account.id),
            )
        except sqlite3.IntegrityError:
            raise EmailTakenError from None

    def delete_account(self, number: int) -> None:
        """Remove an account with its orders and reviews."""
        owner = f"account:{number}"
        self._sqlite.execute("delete from review where owner = ?", (owner,))
        self._sqlite.execute("delete from purchase where owner = ?", (owner,))
        self._sqlite.execute("delete from account where id = ?", (number,))

    def reviews(self, product: str) -> list[Review]:
        """A product's reviews, newest first."""
        rows = self._sqlite.execute(
            f"select {REVIEW_FIELDS} from review where product = ? order by id desc",  # noqa: S608
            (product,),
        )
        return [Review(*row) for row in rows]

    def review(self, number: int) -> Review | None:
        """One review."""
        row = self._sqlite.execute(
            f"select {REVIEW_FIELDS} from review where id = ?",  # noqa: S608
            (number,),
        ).fetchone()
        return Review(*row) if row else None

    def add_review(self, product: str, owner: str, name: str, rating: int, text: str) -> Review:
        """A new review, as it was stored."""
        now = _now()
        added = self._sqlite.execute(
            "insert into review (product, owner, name, rating, text, created, changed) "
            "values (?, ?, ?, ?, ?, ?, ?)",
            (product, owner, name, rating, text, now, now),
        )
        self._sqlite.execute(
            "delete from review where product = ? and id not in "
            "(select id from review where product = ? order by id desc limit ?)",
            (product, product, KEPT_REVIEWS),
        )
        return Review(added.lastrowid or 0, product, owner, name, rating, text, now, now)

    def change_review(self, number: int, rating: int, text: str) -> None:
        """Replace a review's stars and words."""
        self._sqlite.execute(
            "update review set rating = ?, text = ?, changed = ? where id = ?",
            (rating, text, _now(), number),
        )

    def delete_review(self, number: int) -> None:
        """Remove a review."""
        self._sqlite.execute("delete from review where id = ?", (number,))

    def add_purchase(self, owner: str, cents: int, articles: int) -> int:
        """A placed order's number."""
        added = self._sqlite.execute(
            "insert into purchase (owner, cents, articles, created) values (?, ?, ?, ?)",
            (owner, cents, articles, _now()),
        )
        self._forget_old("purchase", KEPT_PURCHASES)
        return int(added.lastrowid or 0)

    def purchases(self, owner: str) -> list[Purchase]:
        """An owner's last ten orders, newest first."""
        rows = self._sqlite.execute(
            "select id, cents, articles, created from purchase where owner = ? "
            "order by id desc limit 10",
            (owner,),
        )
        return [Purchase(*row) for row in rows]

    def _forget_old(self, table: str, kept: int) -> None:
        self._sqlite.execute(
            f"delete from {table} where id <= (select max(id) from {table}) - ?",  # noqa: S608
            (kept,),
        )


def _now() -> int:
    return time.time_ns() // 1_000_000
