"""Visitor ids of a day, and how they follow each other."""

import re

import pytest

from contracts import partition_key
from contracts.settings import Secret
from interceptor import InterceptorError, SiteSettings
from interceptor.capture import Capture, Outcome, Request
from interceptor.identities import identity_of
from interceptor.policy import Policy
from interceptor.salts import SaltBook, day_number, day_text
from tests.support.logs import said
from tests.support.salting import ADDRESS, FIREFOX, SITE, Clock, at, rotating

LAST_OF_FEBRUARY = at("2026-02-28 23:59")
FIRST_OF_MARCH = at("2026-03-01 00:10")
AFTER_THE_OVERLAP = at("2026-03-01 01:00")
FEBRUARY, MARCH = day_number("2026-02-28"), day_number("2026-03-01")


@pytest.fixture
def clock():
    return Clock("2026-02-28 12:00")


@pytest.fixture
def book(clock):
    book = SaltBook(clock)
    book.learn({FEBRUARY: b"f" * 32, MARCH: b"m" * 32})
    return book


def names(identity, arrived, address=ADDRESS, agent=FIREFOX):
    return identity.names(address, agent, arrived, None)


def test_days_have_numbers():
    assert (day_number("1970-01-02"), day_text(20_513)) == (1, "2026-03-01")


def test_an_id_is_a_route_and_a_hash(book):
    now, before = names(rotating(book), LAST_OF_FEBRUARY)
    assert re.fullmatch(r"~[0-9a-f]{3}\.[0-9a-f]{32}", now)
    assert before is None


def test_ids_are_these(book):
    """Literal: another release must not make one visitor two."""
    assert names(rotating(book), FIRST_OF_MARCH) == (
        "~55a.ca2fe5332cc20b0932c807ed886146fc",
        "~55a.3626f88b742941e77a90c5499065fb04",
    )


def test_a_visit_over_midnight_keeps_its_route_and_names_its_former_id(book):
    identity = rotating(book)
    old, new = names(identity, LAST_OF_FEBRUARY), names(identity, FIRST_OF_MARCH)
    assert new.before == old.now != new.now
    assert partition_key("shop", new.now) == partition_key("shop", old.now)


def test_the_former_id_is_said_during_the_overlap_only(book):
    identity = rotating(book)
    assert names(identity, AFTER_THE_OVERLAP - 1).before is not None
    assert names(identity, AFTER_THE_OVERLAP).before is None


def test_what_arrived_before_midnight_and_is_answered_after_it_belongs_to_the_day_before(
    book, clock
):
    identity = rotating(book)
    before = names(identity, LAST_OF_FEBRUARY)
    clock.set("2026-03-01 00:05")
    assert names(identity, LAST_OF_FEBRUARY) == before


def test_no_former_id_without_its_salt(clock):
    book = SaltBook(clock)
    book.learn({MARCH: b"m" * 32})
    assert names(rotating(book), FIRST_OF_MARCH).before is None


def test_visitors_sites_and_secrets_differ(book):
    others = {
        names(rotating(book), LAST_OF_FEBRUARY),
        names(rotating(book), LAST_OF_FEBRUARY, address="203.0.113.8"),
        names(rotating(book), LAST_OF_FEBRUARY, address=None),
        names(rotating(book), LAST_OF_FEBRUARY, agent="curl/8"),
        names(rotating(book, site_id="blog"), LAST_OF_FEBRUARY),
        names(rotating(book, secret="another"), LAST_OF_FEBRUARY),
    }
    assert len({name.now[5:] for name in others}) == 6


def test_long_user_agents_are_visitors_too(book):
    identity = rotating(book)
    long, longer = (names(identity, LAST_OF_FEBRUARY, agent="x" * size) for size in (256, 257))
    assert long != longer
    assert names(identity, LAST_OF_FEBRUARY, agent="x" * 257) == longer


def test_a_salt_that_is_learned_later_is_used_from_then_on(clock):
    book = SaltBook(clock)
    identity = rotating(book)
    own = names(identity, LAST_OF_FEBRUARY)
    assert names(identity, LAST_OF_FEBRUARY) == own
    book.learn({FEBRUARY: b"f" * 32})
    shared = names(identity, LAST_OF_FEBRUARY)
    assert shared.now != own.now
    other = SaltBook(clock)
    other.learn({FEBRUARY: b"f" * 32})
    assert names(rotating(other), LAST_OF_FEBRUARY) == shared


def test_after_two_days_nobody_can_make_an_id_again(book, clock):
    identity = rotating(book)
    id_of_february = names(identity, LAST_OF_FEBRUARY).now
    clock.set("2026-03-01 23:59")
    book.forget()
    assert names(identity, LAST_OF_FEBRUARY).now == id_of_february
    clock.set("2026-03-02 00:00")
    book.forget()
    assert book.known(FEBRUARY) is None
    assert names(identity, LAST_OF_FEBRUARY).now != id_of_february


def test_a_process_on_its_own_forgets_as_well(clock):
    book = SaltBook(clock)
    identity = rotating(book)
    alone = names(identity, LAST_OF_FEBRUARY).now
    clock.set("2026-03-02 00:00")
    names(identity, at("2026-03-02 00:00"))
    assert book.known(FEBRUARY) is None
    assert names(identity, LAST_OF_FEBRUARY).now != alone


def test_the_event_carries_both_ids(book):
    capture = Capture(SITE, Policy.of(SITE), rotating(book))
    request = Request("GET", "/", {"user-agent": FIREFOX}, b"", ADDRESS)
    event = capture.event(request, Outcome(FIRST_OF_MARCH, 1.0, 200))
    expected = names(rotating(book), FIRST_OF_MARCH)
    assert (event.visitor_id, event.previous_visitor_id) == expected


def test_the_default_rotates_and_shares(clock):
    identity = identity_of(SITE, clock)
    assert identity.salts is not None
    assert names(identity, LAST_OF_FEBRUARY).now.startswith("~")


def test_without_a_secret_nothing_is_shared_and_that_is_said_once(clock, caplog):
    identity = identity_of(SiteSettings(site_id="shop"), clock)
    assert identity.salts is None
    assert [line[:33] for line in said(caplog, "clickwake.interceptor")] == [
        "CLICKWAKE_SITE_SECRET is not set:"
    ]


def test_fixed_ids_never_change(clock):
    identity = identity_of(
        SiteSettings(site_id="shop", secret=Secret("k"), identity="fixed"), clock
    )
    old, new = names(identity, LAST_OF_FEBRUARY), names(identity, FIRST_OF_MARCH)
    assert old == new == ("ecc15a03ca754d28296c4dfa3468c840", None)


def test_an_overlap_beyond_the_salts_is_refused(clock):
    site = SiteSettings(site_id="shop", secret=Secret("k"), identity_overlap="13h")
    with pytest.raises(InterceptorError, match="12h at most"):
        identity_of(site, clock)
