"""A request as the interceptor saw it, and as the job enriched it."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from contracts.base import Message, Part

EventKind = Literal["page", "api", "custom", "engagement"]
"""A ``custom`` event is one that the site names; ``engagement`` reports reading time."""

Origin = Literal["beacon"]

Identifier = Annotated[str, Meta(min_length=1, max_length=128)]
SiteId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
Text = Annotated[str, Meta(max_length=2048)]
EventName = Annotated[str, Meta(min_length=1, max_length=64)]
PropertyValue = (
    Annotated[str, Meta(max_length=256)]
    | bool
    | Annotated[int, Meta(ge=-(2**53), le=2**53)]
    | float
)
MAX_PROPERTIES = 20
Properties = Annotated[dict[EventName, PropertyValue], Meta(max_length=MAX_PROPERTIES)]
LONGEST_ENGAGEMENT_MS = 24 * 60 * 60 * 1000
EngagedMs = Annotated[int, Meta(ge=0, le=LONGEST_ENGAGEMENT_MS)]
LONGEST_RESPONSE_MS = 10_000_000_000
"""Over a hundred days: what claims more is broken, and would not fit into a database's time."""


ROUTE_LENGTH = 4
"""Of ``~3f7.``, which begins the ids that rotate, what stays when they do."""


def partition_key(site_id: str, visitor_id: str) -> bytes:
    """The Kafka key of a request event: one visitor's events share a partition and a bucket.

    A visitor id that begins like ``~3f7.`` is one of several that the visitor goes by: those have
    this beginning in common, and it alone makes the key.
    """
    if visitor_id[:1] == "~" and visitor_id[ROUTE_LENGTH : ROUTE_LENGTH + 1] == ".":
        visitor_id = visitor_id[:ROUTE_LENGTH]
    return f"{site_id}/{visitor_id}".encode()


class RequestEvent(Message, frozen=True, kw_only=True):
    """One page or API request, as logged in front of the site, or what a page's script reported.

    ``event_id`` is a UUIDv7 from the interceptor; other producers may use any text that is
    unique within a visitor. ``event_time`` is when the request arrived, canonically an integer
    of ms since 1970 UTC; the job also reads seconds, microseconds and RFC 3339 text.
    ``site_id`` has letters, digits, dot, dash and underscore only, so that the partition key
    tells site and visitor apart. ``previous_visitor_id`` is what the visitor was called until a
    short while ago, if that was another name: a visit under both is one. Both names must make
    the same partition key. ``sequence`` orders a visitor's events of one event_time.
    ``duration_ms`` is from the request's arrival to the response's last byte.
    ``query`` and ``headers`` hold allow-listed names only. ``client_ip`` stays on the requests
    topic: the job cuts it after the geo look-up. A text that was longer than is kept ends in
    ``…``.

    Absent unless they say something: ``origin`` is ``beacon`` when the page's script reported the
    event; ``name`` and ``properties`` are a custom event's; ``engaged_ms`` is for how long the
    page was read since the last report.
    """

    event_id: Identifier
    site_id: SiteId
    visitor_id: Identifier
    previous_visitor_id: Identifier | None = None
    event_time: int | float | str
    kind: EventKind
    method: Annotated[str, Meta(min_length=1, max_length=16)]
    status: Annotated[int, Meta(ge=100, le=599)]
    path: Annotated[str, Meta(min_length=1, max_length=2048)]
    duration_ms: Annotated[float, Meta(ge=0, le=LONGEST_RESPONSE_MS)] = 0.0
    host: Annotated[str, Meta(max_length=255)] = ""
    query: dict[str, str] = {}
    referrer: Text | None = None
    user_agent: Annotated[str, Meta(max_length=1024)] = ""
    client_ip: Annotated[str, Meta(max_length=64)] | None = None
    headers: dict[str, str] = {}
    dnt: bool = False
    gpc: bool = False
    sequence: Annotated[int, Meta(ge=-(2**53), le=2**53)] = 0
    origin: Origin | UnsetType = UNSET
    name: EventName | UnsetType = UNSET
    properties: Properties | UnsetType = UNSET
    engaged_ms: EngagedMs | UnsetType = UNSET


class Geo(Part, frozen=True, kw_only=True):
    """Where an address is, as far as the MMDB says. ``country`` is ISO 3166-1 alpha-2."""

    country: str | None = None
    region: str | None = None
    city: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    time_zone: str | None = None


class Agent(Part, frozen=True, kw_only=True):
    """What a User-Agent header says of itself. ``device`` is desktop, mobile, tablet, bot, …"""

    browser: str = "unknown"
    browser_version: str | None = None
    os: str = "unknown"
    device: str = "unknown"
    is_bot: bool = False
    bot: str | None = None


class Attribution(Part, frozen=True, kw_only=True):
    """Where a visit came from: the referring domain, its channel, and UTM parameters."""

    domain: str | None = None
    channel: str = "direct"
    utm_source: str | None = None
    utm_medium: str | None = None
    utm_campaign: str | None = None
    utm_term: str | None = None
    utm_content: str | None = None


class EnrichedEvent(Message, frozen=True, kw_only=True):
    """A request event that is valid, new and not late, with what the job found out about it.

    Times are ms since 1970 UTC. ``network`` is the address cut to /24 (IPv4) or /48 (IPv6).
    ``geo`` is null when ``geo_reason`` says why. ``flags`` may hold ``clock_clamped``.
    ``topic``, ``partition`` and ``offset`` say where the request event stands. What is absent
    from the request event is absent here, too.
    """

    event_id: str
    site_id: str
    visitor_id: str
    event_time: int
    sequence: int
    broker_time: int
    processed_time: int
    kind: EventKind
    method: str
    status: int
    duration_ms: float
    host: str
    path: str
    query: dict[str, str]
    referrer: str | None
    user_agent: str
    network: str | None
    geo: Geo | None
    geo_reason: str | None
    agent: Agent
    attribution: Attribution
    headers: dict[str, str]
    dnt: bool
    gpc: bool
    flags: list[str]
    topic: str
    partition: int
    offset: int
    origin: Origin | UnsetType = UNSET
    name: str | UnsetType = UNSET
    properties: dict[str, PropertyValue] | UnsetType = UNSET
    engaged_ms: int | UnsetType = UNSET
