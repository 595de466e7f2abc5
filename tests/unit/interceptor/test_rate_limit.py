"""Token buckets in bounded memory."""

import pytest

from interceptor.rate_limit import RateLimit, key_of


def test_as_many_as_a_minute_allows_at_once_then_as_fast_as_it_refills() -> None:
    limit = RateLimit(60)
    assert [limit.wait("a", 100.0) for _ in range(60)] == [0.0] * 60
    assert limit.wait("a", 100.0) == pytest.approx(1.0)
    assert limit.wait("a", 100.5) == pytest.approx(0.5)
    assert limit.wait("a", 101.0) == 0.0
    assert limit.wait("a", 101.0) > 0


def test_a_minute_of_rest_fills_the_bucket_and_not_more() -> None:
    limit = RateLimit(2)
    assert [limit.wait("a", 0.0) for _ in range(2)] == [0.0, 0.0]
    assert [limit.wait("a", 3_600.0) for _ in range(2)] == [0.0, 0.0]
    assert limit.wait("a", 3_600.0) == pytest.approx(30.0)


def test_others_are_not_concerned() -> None:
    limit = RateLimit(1)
    assert (limit.wait("a", 0.0), limit.wait("b", 0.0)) == (0.0, 0.0)
    assert limit.wait("a", 0.0) > 0


def test_the_quietest_are_forgotten() -> None:
    limit = RateLimit(1, max_keys=3)
    for number in range(1_000):
        limit.wait(str(number), 0.0)
    assert len(limit) == 3
    assert limit.wait("999", 0.0) > 0
    assert limit.wait("0", 0.0) == 0.0


def test_a_clock_that_stands_still_or_goes_back_gives_nothing() -> None:
    limit = RateLimit(1)
    limit.wait("a", 100.0)
    assert limit.wait("a", 50.0) > 0


def test_an_ipv6_household_has_one_bucket() -> None:
    assert key_of("2001:db8:1:2::5") == key_of("2001:db8:1:2:ffff::1")
    assert key_of("2001:db8:1:2::5") != key_of("2001:db8:1:3::5")
    assert key_of("203.0.113.9") == "203.0.113.9"
    assert key_of(None) == "unknown"
