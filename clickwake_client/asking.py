"""Asking for a page again while the API is away or busy. No I/O."""

from collections.abc import Mapping

from clickwake_client.errors import UnreachableError
from clickwake_client.pace import Backoff
from clickwake_client.paging import PASSING, Page, read_page, seconds_asked


class Asking:
    """One page, asked for up to ``tries`` times. Each method says how long to wait, in seconds."""

    def __init__(self, address: str, tries: int, backoff: Backoff | None = None) -> None:
        self._address = address
        self._tries = tries
        self._backoff = backoff or Backoff()

    @property
    def _is_last(self) -> bool:
        return self._backoff.failures + 1 >= self._tries

    def failed(self, error: Exception) -> float:
        """There was no answer. Raises UnreachableError after the last try."""
        if self._is_last:
            raise UnreachableError(f"{self._address} does not answer: {error}") from error
        return self._backoff.failed()

    def answered(self, status: int, headers: Mapping[str, str], body: bytes) -> Page | float:
        """The page, or how long to wait before asking again. Raises ApiError."""
        if status not in PASSING or self._is_last:
            return read_page(status, body)
        wait, asked = self._backoff.failed(), seconds_asked(headers.get("retry-after"))
        return wait if asked is None else asked
