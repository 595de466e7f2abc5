"""The studio may take the broker away, for a while that ends by itself."""

import stat
from pathlib import Path

import pytest

from contracts import steering
from contracts.steering import BrokerNow, Outage
from infra.outages import Outages
from infra.state import ChildState

NOON = 1_772_366_400_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run" / "steering"


def test_the_broker_is_away_until_the_outage_is_over(folder: Path) -> None:
    clock = [NOON]
    outages = Outages(folder, lambda: clock[0])
    outages.begin()
    assert outages.why("kafka") is None
    steering.write(folder, Outage(until=NOON + 15_000))
    assert outages.why("kafka") == "an outage that the studio asked for"
    assert outages.why("api") is None
    clock[0] = NOON + 15_000
    assert outages.why("kafka") is None
    assert not (folder / "outage.json").exists()


@pytest.mark.parametrize(
    "content", [b'{"until":%d}' % (NOON + 61_000), b'{"until":0}', b"{", b'{"until":"x"}']
)
def test_nothing_keeps_the_broker_away_for_long(folder: Path, content: bytes) -> None:
    outages = Outages(folder, lambda: NOON)
    outages.begin()
    (folder / "outage.json").write_bytes(content)
    assert outages.why("kafka") is None
    assert not (folder / "outage.json").exists()


def test_a_new_run_knows_no_old_wishes_and_nobody_else_may_wish(folder: Path) -> None:
    outages = Outages(folder, lambda: NOON)
    outages.begin()
    steering.write(folder, Outage(until=NOON + 15_000))
    outages.begin()
    assert outages.why("kafka") is None
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_studio_is_told_how_the_broker_is(folder: Path) -> None:
    outages = Outages(folder, lambda: NOON)
    outages.begin()
    outages.tell([ChildState(name="api", status="ready")])
    assert steering.read(folder, BrokerNow) is None
    outages.tell([ChildState(name="kafka", status="held", detail="an outage")])
    assert steering.read(folder, BrokerNow) == BrokerNow(
        status="held", time=NOON, detail="an outage"
    )
