"""``--from`` and ``--new-checkpoint``: for a new checkpoint only, and nothing is deleted."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from contracts import ContractError
from infra.errors import InfraError
from infra.paths import Places
from infra.start import MANIFEST, SETTING, Start, begin_at
from infra.steps import Steps


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(data=tmp_path)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / MANIFEST).write_text('{"epoch":1772366400}')
    return folder


def begun(start: Start, places: Places, **environ: str) -> tuple[dict[str, str], str]:
    output = StringIO()
    return begin_at(
        start, places, environ, Steps(Console(file=output, width=300))
    ), output.getvalue()


def test_without_a_wish_the_settings_hold(places: Places, checkpoint: Path) -> None:
    environ, said = begun(Start(), places, **{SETTING: "latest"})
    assert (environ[SETTING], said, checkpoint.exists()) == ("latest", "", True)


def test_a_new_checkpoint_begins_where_it_is_told(places: Places) -> None:
    environ, _ = begun(Start("2026-03-01T12:00:00Z"), places, **{SETTING: "latest"})
    assert environ[SETTING] == "2026-03-01T12:00:00Z"


def test_an_existing_checkpoint_is_not_ignored(places: Places, checkpoint: Path) -> None:
    with pytest.raises(InfraError, match="add --new-checkpoint to move it aside"):
        begun(Start("earliest"), places)
    assert (checkpoint / MANIFEST).exists()


def test_it_is_moved_aside_on_demand(places: Places, checkpoint: Path) -> None:
    aside = checkpoint.with_name("checkpoint.1772366400")
    _, said = begun(Start("latest", new_checkpoint=True), places)
    assert str(aside) in said
    assert (aside / MANIFEST).exists()
    assert not checkpoint.exists()


def test_one_that_cannot_be_read_is_moved_aside_too(places: Places, checkpoint: Path) -> None:
    (checkpoint / MANIFEST).write_text("{torn")
    begun(Start(new_checkpoint=True), places)
    (aside,) = places.data.glob("checkpoint.*")
    assert (aside / MANIFEST).read_text() == "{torn"


@pytest.mark.parametrize("place", ["yesterday", "", "2026-03-01", "Earliest"])
def test_what_is_no_place_is_refused_before_anything_moves(
    places: Places, checkpoint: Path, place: str
) -> None:
    with pytest.raises(ContractError, match="is no place to start at: write earliest, latest, or"):
        begun(Start(place, new_checkpoint=True), places)
    with pytest.raises(ContractError, match="is no place to start at"):
        begun(Start(), places, **{SETTING: place or "x"})
    assert checkpoint.exists()
