"""The API's settings, from ``CLICKWAKE_API_*``."""

from typing import Annotated

from msgspec import Meta, Struct

from api.access.address import is_loopback
from contracts.settings import Duration, Secret, milliseconds


class ApiSettings(Struct, frozen=True, kw_only=True):
    """How the API serves and where it keeps history. Lists are comma-separated text.

    ``host``: the address to listen on. On any but loopback every request needs an API key.
    ``port``: the port to listen on.
    ``database_url``: ``sqlite:///path/to/history.db`` or
    ``postgresql://user:password@host/database``; never logged.
    ``dashboard_dir``: the folder with the dashboard's built files.
    ``allowed_origins``: origins besides the API's own whose pages may open the live WebSocket and
    change things.
    ``allowed_hosts``: host names besides loopback under which the API answers; ``*`` for any.
    ``require_keys``: whether every request needs an API key on loopback, too. Set it when a
    reverse proxy makes the API reachable from elsewhere.
    ``key_requests_per_minute``: how many requests a key may make in a minute.
    ``login_lifetime``: how long a browser stays logged in.
    ``trusted_proxies``: addresses or networks of reverse proxies, whose ``X-Forwarded-For`` says
    who asks.
    ``ingest_queue``: how many events of other producers may wait for Kafka.
    ``revisions_keep``: how long the states that sessions had are kept, for ``as_of`` and to show
    how a session came to be; ``0s`` for not at all.
    ``history_keep``: how long sessions, events, late events and dead letters are kept.
    ``backfill_dir``: the folder in which a supervisor on this machine finds the backfills that are
    ordered on the dashboard; empty: the dashboard shows the command instead.
    ``steering_dir``: the folder in which the demo's sample traffic finds what is wished of it;
    empty: there is none to steer.
    ``audit_keep``: how long entries of the audit log are kept.
    ``sites``: the site_ids to take, keep and show; empty for all.
    ``live_sessions``: how many of the newest sessions a dashboard gets at once.
    ``live_clients``: how many dashboards may be connected.
    ``live_clients_per_address``: how many of them from one address that is not this machine's.
    ``live_clients_per_key``: how many of them with one API key.
    ``log_level``: DEBUG, INFO, WARNING or ERROR.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8020
    database_url: Secret = Secret("sqlite:///.clickwake/history.db")
    dashboard_dir: str = "frontend/dashboard/dist"
    allowed_origins: str = ""
    allowed_hosts: str = ""
    require_keys: bool = False
    key_requests_per_minute: Annotated[int, Meta(ge=1, le=1_000_000)] = 6000
    login_lifetime: Duration = "7d"
    trusted_proxies: str = ""
    ingest_queue: Annotated[int, Meta(ge=1, le=1_000_000)] = 20_000
    revisions_keep: Duration = "3d"
    history_keep: Duration = "36500d"
    backfill_dir: str = ""
    steering_dir: str = ""
    audit_keep: Duration = "400d"
    sites: str = ""
    live_sessions: Annotated[int, Meta(ge=1, le=5000)] = 200
    live_clients: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    live_clients_per_address: Annotated[int, Meta(ge=1, le=100_000)] = 50
    live_clients_per_key: Annotated[int, Meta(ge=1, le=100_000)] = 100
    log_level: str = "INFO"

    def origins(self) -> frozenset[str]:
        """The further origins that may open the live WebSocket."""
        return _listed(self.allowed_origins)

    def hosts(self) -> frozenset[str]:
        """The host names, besides loopback, under which the API answers."""
        return _listed(self.allowed_hosts) | {self.host}

    def needs_keys(self) -> bool:
        """Whether requests need an API key."""
        return self.require_keys or not is_loopback(self.host)

    def revisions_keep_ms(self) -> int:
        """How long past states of sessions are kept, in ms."""
        return milliseconds(self.revisions_keep)

    def history_keep_ms(self) -> int:
        """How long the history is kept, in ms."""
        return milliseconds(self.history_keep)

    def audit_keep_ms(self) -> int:
        """How long entries of the audit log are kept, in ms."""
        return milliseconds(self.audit_keep)

    def site_ids(self) -> frozenset[str]:
        """The sites to keep and show; empty means all."""
        return _listed(self.sites)


def _listed(text: str) -> frozenset[str]:
    return frozenset(part.strip().rstrip("/") for part in text.split(",") if part.strip())
