"""From a report's bytes to a checked report, or to what is wrong with it. Pure, never raises."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from contracts import EventKind
from contracts.events import LONGEST_ENGAGEMENT_MS, MAX_PROPERTIES, PropertyValue
from contracts.secret_names import SECRET_HEADERS, SECRET_PARAMETERS
from contracts.texts import clean, cut
from interceptor.text import MAX_VALUE

MAX_NAME = 64
SECRETS = SECRET_PARAMETERS | {name.replace("-", "_") for name in SECRET_HEADERS}

_Number = Annotated[int, Meta(ge=-(2**53), le=2**53)]


class Sent(msgspec.Struct, frozen=True):
    """What the script sends, one JSON object a report."""

    kind: Literal["page", "custom", "engagement"]
    path: Annotated[str, Meta(pattern="^/")]
    referrer: str = ""
    name: str = ""
    properties: dict[str, str | bool | _Number | float | None] = {}
    engaged_ms: Annotated[int, Meta(ge=0, le=LONGEST_ENGAGEMENT_MS)] = 0


class Report(msgspec.Struct, frozen=True):
    """A report that an event can be made of. ``path`` and ``query`` are as they were sent."""

    kind: EventKind
    path: bytes
    query: bytes
    referrer: str = ""
    name: str = ""
    properties: Mapping[str, PropertyValue] = {}
    engaged_ms: int = 0


_decode = msgspec.json.Decoder(Sent).decode


def read_report(body: bytes) -> Report | str:
    """The report, or a sentence that says why it is none.

    Texts are cut on whole characters: names to 64, values to 256. Properties that are null, or
    named like a secret, are left out.
    """
    try:
        sent = _decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"This is no report: {error}."
    path, _, query = sent.path.partition("#")[0].partition("?")
    common = Report(sent.kind, path.encode("utf-8", "replace"), query.encode("utf-8", "replace"))
    if sent.kind == "page":
        return msgspec.structs.replace(common, referrer=sent.referrer)
    if sent.kind == "engagement":
        return msgspec.structs.replace(common, engaged_ms=sent.engaged_ms)
    return _custom(common, sent)


def _custom(common: Report, sent: Sent) -> Report | str:
    name = cut(clean(sent.name.strip()), MAX_NAME)
    if not name:
        return "A custom event needs a name."
    properties = {
        cut(clean(key), MAX_NAME): (
            cut(clean(value), MAX_VALUE) if isinstance(value, str) else value
        )
        for key, value in sent.properties.items()
        if value is not None and not _is_secret(key)
    }
    if "" in properties:
        return "A property needs a name."
    if len(properties) > MAX_PROPERTIES:
        return f"A custom event has at most {MAX_PROPERTIES} properties."
    return msgspec.structs.replace(common, name=name, properties=properties)


def _is_secret(key: str) -> bool:
    return key.strip().lower().replace("-", "_") in SECRETS
