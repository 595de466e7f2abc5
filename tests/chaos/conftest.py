"""The chaos run, begun with the session: it mostly waits, and other tests go on beside it."""

import os
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.chaos.beside import RunBeside

FAULTS = 20
SEED = int(os.environ.get("CHAOS_SEED", "4"))
"""The same in every run, so that a change that breaks something is seen where it was made."""

RUN = pytest.StashKey[RunBeside]()


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """Begin the run, when its test is among those chosen; it never outlives the session."""
    if not _is_wanted(session):
        return (yield)
    folder = Path(tempfile.mkdtemp(prefix="clickwake-chaos-"))
    run = session.config.stash[RUN] = RunBeside(folder, FAULTS, SEED)
    try:
        return (yield)
    finally:
        run.end()


def _is_wanted(session: pytest.Session) -> bool:
    if session.config.option.collectonly or session.testsfailed:
        return False
    return any("chaos_run" in getattr(item, "fixturenames", ()) for item in session.items)


@pytest.fixture
def chaos_run(pytestconfig: pytest.Config) -> RunBeside:
    """The session's run, which may be at its end by now."""
    return pytestconfig.stash[RUN]
