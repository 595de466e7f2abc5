"""Where the session job begins to read: ``./clickwake job --from … --new-checkpoint``."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from time import time

import msgspec

from contracts.instants import EARLIEST, start_instant
from infra.errors import InfraError
from infra.paths import Places
from infra.stack import checkpoint_of
from infra.steps import Steps

SETTING = "CLICKWAKE_JOB_START_FROM"
MANIFEST = "clickwake.json"


class Start(msgspec.Struct, frozen=True):
    """``place`` is earliest, latest or a time; None: what the settings say."""

    place: str | None = None
    new_checkpoint: bool = False


def begin_at(
    start: Start, places: Places, environ: Mapping[str, str], steps: Steps
) -> dict[str, str]:
    """The job's environment, with the checkpoint moved aside if that is wished.

    The caller holds the stack's lock. Raises ContractError for a place that is none, and
    InfraError for one given although there is a checkpoint that would go on where it was.
    """
    start_instant(environ.get(SETTING, EARLIEST) if start.place is None else start.place)
    checkpoint = Path(checkpoint_of(places, environ))
    if start.new_checkpoint:
        aside = set_aside(checkpoint)
        steps.say(f"The former checkpoint is in {aside}." if aside else "There was no checkpoint.")
    elif start.place is not None and (checkpoint / MANIFEST).exists():
        raise InfraError(
            f"--from holds for a new checkpoint, and {checkpoint} exists: leave --from out to go "
            "on where it was, or add --new-checkpoint to move it aside and begin anew."
        )
    chosen = {SETTING: start.place} if start.place is not None else {}
    return {**environ, **chosen}


def set_aside(checkpoint: Path) -> Path | None:
    """Move the checkpoint to ``<checkpoint>.<epoch>``; None when there is none."""
    if not checkpoint.exists():
        return None
    wanted = checkpoint.with_name(f"{checkpoint.name}.{_epoch(checkpoint)}")
    number, aside = 1, wanted
    while aside.exists():
        number += 1
        aside = wanted.with_name(f"{wanted.name}.{number}")
    os.replace(checkpoint, aside)
    return aside


def _epoch(checkpoint: Path) -> int:
    try:
        return int(json.loads((checkpoint / MANIFEST).read_bytes())["epoch"])
    except (OSError, ValueError, KeyError, TypeError):
        return int(time())
