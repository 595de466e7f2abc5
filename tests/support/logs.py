"""What a test's own code has logged."""

import pytest


def said(caplog: pytest.LogCaptureFixture, *loggers: str) -> list[str]:
    """The messages of these loggers: threads of other tests may still speak beside them."""
    return [one.getMessage() for one in caplog.records if one.name.startswith(loggers)]
