"""Whoever comes back around midnight comes to the same place, and says who it was."""

from hypothesis import given
from hypothesis import strategies as st

from contracts import partition_key
from interceptor.salts import DAY_MS, SaltBook
from tests.support.salting import HOUR_MS, Clock, rotating

days = st.integers(min_value=1, max_value=40_000)
addresses = st.none() | st.ip_addresses().map(str)
agents = st.text(max_size=200)
moments = st.integers(0, DAY_MS - 1)
salts = st.binary(min_size=32, max_size=32)


@given(
    days, addresses, agents, salts, salts, st.integers(0, DAY_MS - 1), st.integers(0, DAY_MS - 1)
)
def test_ids_chain_over_midnight_under_one_key(day, address, agent, old, new, before, after):
    def clock():
        return day * DAY_MS

    book = SaltBook(clock)
    book.learn({day - 1: old, day: new})
    identity = rotating(book)
    yesterday = identity.names(address, agent, (day - 1) * DAY_MS + before, None)
    today = identity.names(address, agent, day * DAY_MS + after, None)
    assert partition_key("shop", today.now) == partition_key("shop", yesterday.now)
    assert today.before == (yesterday.now if after < HOUR_MS else None)
    assert today.now != yesterday.now


@given(addresses, agents, addresses, agents)
def test_two_visitors_are_two_all_day(address, agent, other_address, other_agent):
    book = SaltBook(Clock("2026-03-01 12:00"))
    identity, noon = rotating(book), Clock("2026-03-01 12:00").ms
    same = (address, agent) == (other_address, other_agent)
    one = identity.names(address, agent, noon, None)
    other = identity.names(other_address, other_agent, noon, None)
    assert (one == other) == same
