"""Who may open the live channel, how often, and for how long."""

import asyncio
from typing import Any

import pytest

from api.access.scopes import EVERYTHING, NOBODY, Access
from api.live.admission import Admission, Badge, RefusedError
from api.live.broadcast import Broadcast, ChatterError, EndingError
from api.live.closings import CLOSINGS, closing
from api.live.crowd import Crowd, CrowdedError
from api.live.door import Door, Overheard, SilentError
from api.live.hub import Hub
from api.live.listener import SILENT, Greeting
from api.live.tickets import LIFETIME_MS, NoTicketsLeftError, Tickets
from contracts.live import Subscription
from infra.paths import PROJECT
from tests.support.messages import NOON

READER = Access(scopes=frozenset({"read"}), key_id="k1")
WRITER = Access(scopes=frozenset({"ingest"}), key_id="k2")
ADDRESS = "203.0.113.7"


class Clock:
    now = NOON

    def __call__(self) -> int:
        return self.now


class Said:
    """A socket whose client says these things, then nothing more."""

    def __init__(self, *messages: str) -> None:
        self._messages = list(messages)
        self.told: list[bytes] = []

    async def send(self, message: bytes) -> None:
        self.told.append(message)

    async def receive(self) -> str | None:
        if not self._messages:
            await asyncio.Event().wait()
        return self._messages.pop(0)


def an_admission(**fields: Any) -> Admission:
    unused: Any = None
    return Admission(unused, unused, unused, Tickets(Clock()), **fields)


def greeted(
    *messages: str, badge: Badge | None = None, promised: bool = False
) -> tuple[Badge, Greeting]:
    door = Door(an_admission(), silence=0.01, patience=0.05)

    async def greet() -> tuple[Badge, Greeting]:
        socket = Overheard(Said(*messages))
        try:
            return await door.greet(socket, badge or Badge(EVERYTHING), ADDRESS, promised=promised)
        finally:
            socket.close()

    return asyncio.run(greet())


class TestDoor:
    def test_who_says_nothing_gets_the_default(self) -> None:
        assert greeted()[1] == SILENT

    def test_who_promised_to_speak_and_does_not_is_refused(self) -> None:
        with pytest.raises(SilentError):
            greeted(promised=True)

    def test_who_needs_a_key_has_to_speak(self) -> None:
        with pytest.raises(SilentError):
            greeted(badge=Badge(NOBODY))

    def test_a_hello_says_what_is_wanted_and_where_it_was(self) -> None:
        hello = '{"type":"hello","subscription":{"country":["FR"]},"resume":"x.1"}'
        assert greeted(hello)[1] == Greeting(Subscription(country=("FR",)), "x.1")

    def test_a_key_without_the_scope_is_refused(self) -> None:
        with pytest.raises(RefusedError, match="'read'"):
            greeted('{"type":"hello"}', badge=Badge(WRITER))

    def test_a_ping_may_come_first_and_is_not_lost(self) -> None:
        async def story() -> None:
            socket = Overheard(Said('{"type":"ping","sent":1}'))
            door = Door(an_admission())
            _, greeting = await door.greet(socket, Badge(EVERYTHING), ADDRESS, promised=False)
            assert greeting == SILENT
            assert await socket.receive() == '{"type":"ping","sent":1}'

        asyncio.run(story())


class TestTickets:
    def test_a_ticket_is_good_once(self) -> None:
        tickets: Tickets[str] = Tickets(Clock())
        text, expires = tickets.issue("me")
        assert expires == NOON + LIFETIME_MS
        assert [tickets.redeem(text), tickets.redeem(text)] == ["me", None]

    def test_a_ticket_is_good_for_half_a_minute(self) -> None:
        clock = Clock()
        tickets: Tickets[str] = Tickets(clock)
        text, _ = tickets.issue("me")
        clock.now = NOON + LIFETIME_MS
        assert tickets.redeem(text) is None

    def test_tickets_are_bounded_until_the_oldest_end(self) -> None:
        clock = Clock()
        tickets: Tickets[str] = Tickets(clock, most=2)
        tickets.issue("a")
        tickets.issue("b")
        with pytest.raises(NoTicketsLeftError):
            tickets.issue("c")
        clock.now = NOON + LIFETIME_MS
        tickets.issue("c")

    def test_a_ticket_stands_for_its_key_in_a_hello(self) -> None:
        admission = an_admission()
        text, _ = admission.tickets.issue(Badge(READER))
        admitted = admission.admit(Badge(NOBODY), ADDRESS, ticket=text)
        assert asyncio.run(admitted) == Badge(READER)
        with pytest.raises(RefusedError, match="used"):
            asyncio.run(admission.admit(Badge(EVERYTHING), ADDRESS, ticket=text))


class TestStaying:
    def test_a_revoked_key_ends_its_connections(self) -> None:
        verdicts: list[Access | None] = [READER, READER, None]

        async def judge() -> Access | None:
            return verdicts.pop(0)

        async def story() -> None:
            admission = an_admission(recheck=0.01)
            with pytest.raises(RefusedError, match="revoked"):
                await admission.while_allowed(Badge(READER, judge), asyncio.Event().wait())  # type: ignore[arg-type]
            assert verdicts == []

        asyncio.run(story())

    def test_who_sends_too_much_is_cut_off(self) -> None:
        async def story() -> None:
            pings = ['{"type":"ping","sent":1}'] * 40
            with pytest.raises(ChatterError):
                await Broadcast(Hub(10), Clock()).serve(Said(*pings))

        asyncio.run(story())

    def test_the_last_message_says_when_to_come_back(self) -> None:
        async def story() -> None:
            broadcast, socket = Broadcast(Hub(10), Clock()), Said()
            serving = asyncio.create_task(broadcast.serve(socket))
            await asyncio.sleep(0)
            broadcast.say_goodbye()
            with pytest.raises(EndingError):
                await serving
            assert socket.told[-1].startswith(b'{"type":"goodbye","retry_ms":')
            with pytest.raises(EndingError):
                await broadcast.serve(Said())

        asyncio.run(story())


class TestCrowd:
    def test_all_together_are_limited(self) -> None:
        crowd = Crowd(in_all=2, per_address=5, per_key=5)
        with crowd.enter("198.51.100.1"), crowd.enter("127.0.0.1"):
            with pytest.raises(CrowdedError, match="LIVE_CLIENTS") as refused:
                crowd.enter("198.51.100.2")
            assert refused.value.status == 503
        assert crowd.size == 0

    def test_one_address_is_limited_and_others_are_not(self) -> None:
        crowd = Crowd(in_all=9, per_address=1, per_key=5)
        with crowd.enter(ADDRESS):
            with pytest.raises(CrowdedError, match="PER_ADDRESS") as refused:
                crowd.enter(ADDRESS)
            assert refused.value.status == 429
            crowd.enter("198.51.100.1")
        crowd.enter(ADDRESS)

    @pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::", "unknown"])
    def test_this_machine_may_be_a_proxy_so_it_is_not_limited(self, address: str) -> None:
        crowd = Crowd(in_all=9, per_address=1, per_key=5)
        with crowd.enter(address), crowd.enter(address):
            assert crowd.size == 2

    def test_one_key_is_limited(self) -> None:
        crowd = Crowd(in_all=9, per_address=9, per_key=1)
        with crowd.enter_with_key("k1"), crowd.enter_with_key("k2"), crowd.enter_with_key(None):
            second = crowd.enter_with_key("k1")
            with pytest.raises(CrowdedError, match="PER_KEY"):
                second.__enter__()
        with crowd.enter_with_key("k1"):
            pass


def test_every_code_that_ends_a_connection_is_documented() -> None:
    text = (PROJECT / "docs" / "api.md").read_text()
    for code, _ in CLOSINGS.values():
        assert f"| {code} |" in text, code


def test_a_reason_fits_into_its_frame() -> None:
    code, reason = closing(RefusedError("é" * 200))
    assert code == 4001
    assert len(reason.encode()) <= 120
