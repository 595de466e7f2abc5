"""What a site may choose, from ``CLICKWAKE_SITE_*``."""

import os
import secrets
from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from contracts.events import SiteId
from contracts.kafka import KafkaSettings
from contracts.settings import Duration, Secret, from_environment

Compression = Literal["zstd", "gzip", "none"]
IdentityMode = Literal["rotating", "fixed", "cookie", "application"]
SpoolSync = Literal["always", "second", "never"]


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One site's choices. Lists are comma-separated text.

    ``site_id``: the site's name in every event: letters, digits, dot, dash, underscore.
    ``secret``: keys the visitor ids; give every process of a site the same long random text.
    Without one, each process makes its own when it starts.
    ``identity``: what makes a visitor: ``rotating``, a hash of address and User-Agent whose key
    changes at midnight UTC; ``fixed``, one whose key stays; ``cookie``, a first-party cookie of
    ours; ``application``, what the application says (``clickwake.visitor`` in the ASGI scope or
    WSGI environ). Where cookie or application say nothing, it is as with ``rotating``.
    ``identity_overlap``: for how long after midnight UTC an event has the visitor's id of the
    day before as well, 12h at most. A visit over midnight stays one visit if this is at least
    the session job's gap.
    ``salt_directory``: where the daily salts of the visitor ids are kept, for two days, so that
    this machine's processes have the same ids also without Kafka. Empty: ``salts`` in
    ``spool_directory`` if that is set, else nowhere.
    ``cookie_name``: what the cookie is called.
    ``cookie_max_age``: how long it lasts from when it was set.
    ``trusted_proxies``: networks whose ``X-Forwarded-For`` or ``Forwarded`` is believed; the word
    ``unix`` stands for peers on a Unix socket.
    ``health_paths``: paths that are not logged.
    ``api_paths``: requests below these count as ``api``, all others as ``page``.
    ``exclude_paths``: patterns of more paths that are not logged, such as ``/admin/*``, where ``*``
    stands for anything.
    ``drop_bots``: do not log programs that their User-Agent names, instead of marking them.
    ``query_allow``: the query parameters that may leave the process.
    ``header_allow``: the request headers that may leave the process.
    ``respect_dnt``: drop requests that carry ``DNT: 1`` or ``Sec-GPC: 1``, instead of marking them.
    ``opt_out_cookie``: the name of a cookie by which a visitor says that nothing is to be logged:
    the site sets it, to anything but ``0``, and requests and reports that bring it are dropped.
    Empty: there is none.
    ``development``: log nothing, as when the app of Starlette, FastAPI, Flask or Django debugs.
    ``log_in_development``: log even then.
    ``queue_size``: how many events may wait for Kafka; beyond it they are counted as lost.
    ``linger``: how long to gather events before sending them together; up to ten times as long
        while many come.
    ``compression``: how batches are compressed on their way to Kafka and in it.
    ``stats_every``: how often the counts of sent, dropped and lost are published.
    ``flush_deadline``: how long a shutdown may wait for Kafka.
    ``spool_directory``: where events wait while Kafka is away, a folder for each process. Empty:
    nowhere, they wait in memory only. It must be on a local disk that the site's user can write.
    ``spool_size``: bytes that one process may keep there; beyond it, and beyond ``queue_size`` in
    memory, the newest events are counted as lost.
    ``spool_sync``: when the disk is told to keep for good what was written: ``always`` after each
    round, ``second`` at most once a second, ``never``. It matters when power is lost; a killed
    process loses nothing of its spool either way.
    ``metrics_path``: a path such as ``/-/clickwake`` at which the middleware itself answers with
    Prometheus metrics, to direct requests from this machine only. Empty: nowhere.
    ``beacon_path``: a path such as ``/cw.js``, below the application's root, at which the
    middleware itself serves the script for pages; what it reports goes to the same path without
    ``.js``. Empty: no script, and nothing is reported.
    ``beacon_rate``: how many reports one address may send a minute, to each process.
    """

    site_id: SiteId = "site"
    secret: Secret | None = None
    identity: IdentityMode = "rotating"
    identity_overlap: Duration = "1h"
    salt_directory: str = ""
    cookie_name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,64}$")] = "cw_visitor"
    cookie_max_age: Duration = "365d"
    trusted_proxies: str = ""
    health_paths: str = "/health,/healthz,/livez,/readyz,/-/healthy,/-/ready"
    api_paths: str = "/api/"
    exclude_paths: str = ""
    drop_bots: bool = False
    query_allow: str = "utm_source,utm_medium,utm_campaign,utm_term,utm_content,ref,source"
    header_allow: str = "accept-language,sec-ch-ua-mobile,sec-ch-ua-platform"
    respect_dnt: bool = False
    opt_out_cookie: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,64}$")] = ""
    development: bool = False
    log_in_development: bool = False
    queue_size: Annotated[int, Meta(ge=1, le=10_000_000)] = 20_000
    linger: Duration = "5ms"
    compression: Compression = "zstd"
    stats_every: Duration = "5s"
    flush_deadline: Duration = "3s"
    spool_directory: str = ""
    spool_size: Annotated[int, Meta(ge=65_536, le=2**40)] = 67_108_864
    spool_sync: SpoolSync = "second"
    metrics_path: Annotated[str, Meta(pattern=r"^(/.*)?$")] = ""
    beacon_path: Annotated[str, Meta(pattern=r"^(/.+\.js)?$")] = ""
    beacon_rate: Annotated[int, Meta(ge=1, le=1_000_000)] = 600


def site_settings(
    environ: Mapping[str, str] | None = None, *, site_id: str | None = None
) -> SiteSettings:
    """The environment's settings; a ``site_id`` from the application's own code comes first.

    Raises ContractError naming the variable that is wrong.
    """
    variables = os.environ if environ is None else environ
    chosen = {} if site_id is None else {"CLICKWAKE_SITE_SITE_ID": site_id}
    return from_environment(SiteSettings, "SITE", {**variables, **chosen})


def kafka_settings() -> KafkaSettings:
    """Where Kafka is, from ``CLICKWAKE_KAFKA_*``."""
    return from_environment(KafkaSettings, "KAFKA", os.environ)


def listed(text: str) -> tuple[str, ...]:
    """``"a, b,"`` → ``("a", "b")``."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def random_secret() -> Secret:
    """A key for a process that was given none: its visitor ids hold until it ends."""
    return Secret(secrets.token_hex(32))
