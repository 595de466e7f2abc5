"""Our own programs at an API that needs keys."""

from pathlib import Path

import pytest

from infra.errors import InfraError
from infra.ledger import read_ledger
from spark_jobs.kept import HistoryError, KeptSessions
from tests.support.access import new_key
from tests.support.api import NO_KAFKA, api_settings, served


def test_they_show_the_key_that_they_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(tmp_path, "read")
    with served(api_settings(tmp_path, require_keys=True), NO_KAFKA) as api:
        address = f"http://{api.address}"
        with pytest.raises(InfraError, match="needs an API key"):
            read_ledger(address)
        with pytest.raises(HistoryError, match="answers 401"):
            list(KeptSessions(address, 0, 1, None))
        monkeypatch.setenv("CLICKWAKE_CLIENT_KEY", key)
        assert read_ledger(address).total.requests == 0
        assert list(KeptSessions(address, 0, 1, None)) == []
