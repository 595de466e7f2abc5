"""The properties by which sessions are grouped."""

from typing import Any, Literal, get_args

from sqlalchemy import Label, Text, func, literal
from sqlalchemy.orm import InstrumentedAttribute

from api.history.filters import WITHOUT
from api.history.models import SessionRow
from api.history.stats.visits import EVENT

Dimension = Literal[
    "path",
    "entry",
    "exit",
    "referrer_domain",
    "channel",
    "country",
    "region",
    "city",
    "browser",
    "os",
    "device",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "site",
]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

_COLUMNS: dict[Dimension, InstrumentedAttribute[Any]] = {
    "path": EVENT.path,
    "entry": SessionRow.entry_page,
    "exit": SessionRow.exit_page,
    "referrer_domain": SessionRow.referrer_domain,
    "channel": SessionRow.channel,
    "country": SessionRow.country,
    "region": SessionRow.region,
    "city": SessionRow.city,
    "browser": SessionRow.browser,
    "os": SessionRow.os,
    "device": SessionRow.device,
    "utm_source": SessionRow.utm_source,
    "utm_medium": SessionRow.utm_medium,
    "utm_campaign": SessionRow.utm_campaign,
    "utm_term": SessionRow.utm_term,
    "utm_content": SessionRow.utm_content,
    "site": SessionRow.site_id,
}


def value_of(key: str) -> str | None:
    """The value that a key stands for."""
    return None if key == WITHOUT else key


def key_of(dimension: Dimension) -> Label[Any]:
    """The property as a key. Not null: databases sort nulls at different ends; IN finds none."""
    return func.coalesce(_COLUMNS[dimension], literal(WITHOUT, Text)).label(dimension)
