"""The Python client against an API that is served for real, but reads no Kafka."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import msgspec
import pytest

from api.history.writer import HistoryWriter
from api.settings import ApiSettings
from clickwake_client import ApiError, AsyncClient, Client, UnreachableError
from contracts.live import Snapshot
from infra.ports import free_ports
from tests.support.api import NO_KAFKA, Served, api_settings, served
from tests.support.history import a_slice, new_history
from tests.support.messages import NOON, a_session

pytestmark = pytest.mark.slow

SESSIONS = [a_session(f"s{n:03}", start=NOON + n, end=NOON + n) for n in range(250)]
NEWEST_FIRST = [one.session_id for one in reversed(SESSIONS)]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> ApiSettings:
    folder: Path = tmp_path_factory.mktemp("history")
    engine = new_history(folder)
    HistoryWriter(engine).take([a_slice("sessions", SESSIONS)])
    engine.dispose()
    return api_settings(folder)


@pytest.fixture(scope="module")
def api(settings: ApiSettings) -> Iterator[Served]:
    with served(settings, NO_KAFKA) as running:
        yield running


def test_all_pages_are_read_once(api: Served) -> None:
    with Client(f"http://{api.address}") as clickwake:
        found = list(clickwake.sessions(page_size=100))
        some = list(clickwake.sessions(from_=NOON + 200, to=NOON + 203, site="shop"))
    assert [one.session_id for one in found] == NEWEST_FIRST
    assert found[-1] == SESSIONS[0]
    assert [one.session_id for one in some] == ["s202", "s201", "s200"]


def test_all_pages_are_read_once_on_a_loop(api: Served) -> None:
    async def read() -> list[str]:
        async with AsyncClient(f"http://{api.address}") as clickwake:
            return [one.session_id async for one in clickwake.sessions(page_size=100)]

    assert asyncio.run(read()) == NEWEST_FIRST


def test_a_refusal_is_raised_with_the_calls_id(api: Served) -> None:
    headers = {"X-Request-Id": "client-1"}
    with (
        Client(f"http://{api.address}", headers=headers) as clickwake,
        pytest.raises(ApiError, match="422") as raised,
    ):
        list(clickwake.sessions(colour="red"))
    assert raised.value.request_id == "client-1"


def test_an_api_that_is_not_there(api: Served) -> None:
    with (
        Client(f"http://127.0.0.1:{free_ports(1)[0]}", tries=2) as clickwake,
        pytest.raises(UnreachableError, match="does not answer"),
    ):
        list(clickwake.sessions())


def test_live_goes_on_after_a_restart_with_another_snapshot(settings: ApiSettings) -> None:
    again = msgspec.structs.replace(settings, port=free_ports(1)[0])
    first = Served(again, NO_KAFKA).start()
    with Client(f"http://{first.address}") as clickwake:
        messages = clickwake.live()
        before = next(messages)
        first.stop()
        with served(again, NO_KAFKA):
            after = next(one for one in messages if isinstance(one, Snapshot))
        messages.close()
    assert isinstance(before, Snapshot)
    assert after.sequence == 1


def test_live_on_a_loop_and_a_refusal(api: Served) -> None:
    async def listen(origin: dict[str, str]) -> int:
        client = AsyncClient(f"http://{api.address}", headers=origin)
        async with client as clickwake, aclosing(clickwake.live()) as messages:
            return (await anext(messages)).sequence

    assert asyncio.run(listen({})) == 1
    with pytest.raises(ApiError, match="may not open the live view"):
        asyncio.run(listen({"Origin": "https://foreign.example"}))
