"""How our processes write their logs: for people, or as JSON lines, with the id of the request.

A process configures its log once, at its entry point. The middleware is a guest in a site's
process and configures nothing; a site that wants the same lines gives its handler one of the
formatters.
"""

import logging
import os
import re
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

import msgspec

from contracts.settings import from_environment

REQUEST_ID: ContextVar[str | None] = ContextVar("clickwake_request_id", default=None)
"""The request that is being served: on a site its event's id, in the API that of the call."""

SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class LogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How logs are written.

    ``format``: lines for people, or one JSON object a line.
    """

    format: Literal["text", "json"] = "text"


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time (UTC), level, part, logger, message, and what is known of
    ``request_id``, ``error``, and the process's own fields (the job's ``epoch`` and ``batch``)."""

    def __init__(self, part: str, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._part = part
        self._fields = {} if fields is None else fields

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": _instant(record.created),
            "level": record.levelname,
            "part": self._part,
            "logger": record.name,
            "message": record.getMessage(),
        }
        request_id = REQUEST_ID.get()
        if request_id is not None:
            line["request_id"] = request_id
        line |= self._fields
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class TextFormatter(logging.Formatter):
    """The line for people, with the request's id at the end of its first one."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's name)
        """The line without the traceback that may follow it."""
        request_id = REQUEST_ID.get()
        line = super().formatMessage(record)
        return line if request_id is None else f"{line} [request {request_id}]"


def configure(
    part: str,
    level: str = "INFO",
    fields: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Write this process's log to stderr as ``CLICKWAKE_LOG_FORMAT`` says.

    ``level`` is one of LEVELS. ``fields`` is looked at for each line, so its owner may change
    it. Raises ContractError when the variable is wrong.
    """
    is_json = from_environment(LogSettings, "LOG", environ).format == "json"
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter(part, fields) if is_json else TextFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def request_id_of(given: str | None) -> str:
    """The caller's own id if nothing in it could harm a log, else a new one."""
    return given if given is not None and SANE_ID.fullmatch(given) else uuid4().hex


def _instant(seconds: float) -> str:
    at = datetime.fromtimestamp(seconds, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
