"""From the studio's forms to wishes. Pure but for the files in the steering folder."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from contracts import steering
from contracts.steering import (
    KEPT_ACTS,
    LONGEST_OUTAGE_S,
    Act,
    Outage,
    TrafficWish,
    Wishes,
)

Wish = TypeVar("Wish", TrafficWish, Act)


MOST = 1e6


class WishError(Exception):
    """The form has a value that cannot be; the text says which may."""


def with_traffic(wishes: Wishes, form: Mapping[str, str]) -> Wishes:
    """The wishes with another amount of traffic. Raises WishError."""
    wish = {
        "visitors_per_minute": _number(form, "visitors_per_minute"),
        "bots": _number(form, "bots_percent") / 100,
        "countries": tuple(form.get("countries", "").upper().replace(",", " ").split()),
    }
    return msgspec.structs.replace(wishes, traffic=_converted(wish, TrafficWish))


def with_act(wishes: Wishes, form: Mapping[str, str], last: int) -> Wishes:
    """The wishes with one more act, numbered after all, also after ``last``. Raises WishError."""
    number = max((act.number for act in wishes.acts), default=0)
    seconds = _number(form, "seconds") if "seconds" in form else _number(form, "minutes") * 60
    fields = {
        "number": max(number, last) + 1,
        "kind": form.get("kind", ""),
        "people": int(_number(form, "people")),
        "seconds": int(seconds),
    }
    return msgspec.structs.replace(
        wishes, acts=(*wishes.acts, _converted(fields, Act))[-KEPT_ACTS:]
    )


def outage(form: Mapping[str, str], now: int) -> Outage:
    """The broker's absence from now on. Raises WishError."""
    seconds = _number(form, "seconds")
    if not 1 <= seconds <= LONGEST_OUTAGE_S:
        raise WishError(f"An outage lasts 1 to {LONGEST_OUTAGE_S} seconds.")
    return Outage(until=now + round(seconds * 1000))


class Desk:
    """The studio's side of the steering folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def set_traffic(self, form: Mapping[str, str]) -> str:
        """Wish for another amount of traffic; what to say."""
        steering.write(self._folder, with_traffic(self._wishes(), form))
        return "The sample traffic follows."

    def act(self, form: Mapping[str, str]) -> str:
        """Let something happen once; what to say."""
        now = steering.read(self._folder, steering.TrafficNow)
        steering.write(self._folder, with_act(self._wishes(), form, now.done if now else 0))
        return "It is on its way."

    def stop_broker(self, form: Mapping[str, str]) -> str:
        """Take the broker away for a while; what to say."""
        steering.write(self._folder, outage(form, now_ms()))
        return "Kafka is being stopped."

    def end_outage(self, _form: Mapping[str, str]) -> str:
        """Let the broker come back at once; what to say."""
        steering.write(self._folder, Outage(until=0))
        return "Kafka may come back."

    def state(self) -> dict[str, object]:
        """How traffic and broker are, and what was wished."""
        folder = self._folder
        return {
            "time": now_ms(),
            "traffic": steering.read(folder, steering.TrafficNow),
            "broker": steering.read(folder, steering.BrokerNow),
            "outage": steering.read(folder, Outage),
        }

    def _wishes(self) -> Wishes:
        return steering.read(self._folder, Wishes) or Wishes()


def now_ms() -> int:
    """The clock of wishes."""
    return time.time_ns() // 1_000_000


def _number(form: Mapping[str, str], name: str) -> float:
    try:
        number = float(form.get(name, ""))
    except ValueError:
        raise WishError(f"{name.replace('_', ' ').capitalize()} is no number.") from None
    if not abs(number) <= MOST:
        raise WishError(f"{name.replace('_', ' ').capitalize()} is out of bounds.")
    return number


def _converted(fields: dict[str, object], kind: type[Wish]) -> Wish:
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise WishError(str(error)) from None
