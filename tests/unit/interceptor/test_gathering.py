"""How long the Kafka thread gathers events before it sends them together."""

import pytest

from interceptor.producer import Gathering
from interceptor.settings import SiteSettings


@pytest.mark.parametrize(
    ("events", "pause_s"), [(0, 0.005), (1, 0.005), (4, 0.02), (10, 0.05), (500, 0.05)]
)
def test_the_more_came_the_longer_is_the_pause(events: int, pause_s: float) -> None:
    gathering = Gathering(SiteSettings(linger="5ms"))
    gathering.events = events
    assert gathering.pause_s() == pytest.approx(pause_s)


def test_what_came_before_the_last_pause_does_not_count() -> None:
    gathering = Gathering(SiteSettings(linger="5ms"))
    gathering.events = 500
    gathering.pause_s()
    assert gathering.pause_s() == pytest.approx(0.005)
