"""The API from Python: sessions page by page and what happens live, typed by the contracts."""

from clickwake_client.aio import AsyncClient
from clickwake_client.errors import ApiError, ClientError, UnreachableError
from clickwake_client.sync import Client

__all__ = ["ApiError", "AsyncClient", "Client", "ClientError", "UnreachableError"]
