"""The API's settings, from ``CLICKWAKE_API_*``."""

from typing import Annotated

from msgspec import Meta, Struct

from contracts.settings import Duration, Secret, milliseconds


class ApiSettings(Struct, frozen=True, kw_only=True):
    """How the API serves and where it keeps history. Lists are comma-separated text.

    ``host``: the address to listen on. There is no log-in: on any address but loopback, put a
    reverse proxy with one in front.
    ``port``: the port to listen on.
    ``database_url``: ``sqlite:///path/to/history.db`` or
    ``postgresql://user:password@host/database``; never logged.
    ``dashboard_dir``: the folder with the dashboard's built files.
    ``allowed_origins``: origins besides the API's own that may open the live WebSocket.
    ``allowed_hosts``: host names besides loopback under which the API answers; ``*`` for any.
    ``revisions_keep``: how long the states that sessions had are kept, for ``as_of`` and to show
    how a session came to be; ``0s`` for not at all.
    ``history_keep``: how long sessions, events, late events and dead letters are kept.
    ``sites``: the site_ids to keep and show; empty for all.
    ``live_sessions``: how many of the newest sessions a dashboard gets at once.
    ``live_clients``: how many dashboards may be connected.
    ``log_level``: DEBUG, INFO, WARNING or ERROR.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8020
    database_url: Secret = Secret("sqlite:///.clickwake/history.db")
    dashboard_dir: str = "frontend/dashboard/dist"
    allowed_origins: str = ""
    allowed_hosts: str = ""
    revisions_keep: Duration = "3d"
    history_keep: Duration = "36500d"
    sites: str = ""
    live_sessions: Annotated[int, Meta(ge=1, le=5000)] = 200
    live_clients: Annotated[int, Meta(ge=1, le=100_000)] = 1000
    log_level: str = "INFO"

    def origins(self) -> frozenset[str]:
        """The further origins that may open the live WebSocket."""
        return _listed(self.allowed_origins)

    def hosts(self) -> frozenset[str]:
        """The host names, besides loopback, under which the API answers."""
        return _listed(self.allowed_hosts) | {self.host}

    def revisions_keep_ms(self) -> int:
        """How long past states of sessions are kept, in ms."""
        return milliseconds(self.revisions_keep)

    def history_keep_ms(self) -> int:
        """How long the history is kept, in ms."""
        return milliseconds(self.history_keep)

    def site_ids(self) -> frozenset[str]:
        """The sites to keep and show; empty means all."""
        return _listed(self.sites)


def _listed(text: str) -> frozenset[str]:
    return frozenset(part.strip().rstrip("/") for part in text.split(",") if part.strip())
