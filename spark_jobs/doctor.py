"""``python -m spark_jobs.doctor FOLDER``: how a checkpoint is, as a JSON line; changes nothing.

Only for a checkpoint that no job works on: one that does writes while this reads.
"""

import sys
from pathlib import Path

import msgspec

from contracts.findings import Finding, note, ok, problem, warning
from spark_jobs.checkpoint import (
    READABLE_STATES,
    WAYS_OUT,
    CheckpointError,
    is_new,
    read_manifest,
)
from spark_jobs.checkpoint_repair import examine, last_batch

CHECK = "checkpoint"


def look(checkpoint: Path) -> Finding:
    """Whether a job could go on from it, as far as the disk tells."""
    if is_new(checkpoint):
        return note(CHECK, f"There is no checkpoint yet in {checkpoint}: the job will make one.")
    try:
        manifest, repair = read_manifest(checkpoint), examine(checkpoint)
    except CheckpointError as error:
        what, _, _ = str(error).partition(f": {WAYS_OUT}")
        return problem(CHECK, f"{_sentence(what)}.", f"{_sentence(WAYS_OUT)}.")
    if manifest.state_version not in READABLE_STATES:
        what = f"The checkpoint has state version {manifest.state_version}, unknown to this one."
        return problem(CHECK, what, "Upgrade Clickwake to the version that wrote it.")
    if repair.aside:
        what = f"{len(repair.aside)} of the checkpoint's newest files are torn or of no use."
        return warning(CHECK, what, "Start the job: it sets them aside and repeats their batches.")
    done, _ = last_batch(checkpoint)
    return ok(CHECK, f"Epoch {manifest.epoch}, whole up to batch {done}.")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def main() -> int:
    """Print the finding of the folder that the command line names."""
    try:
        finding = look(Path(sys.argv[1]))
    except OSError as error:
        what = f"The checkpoint in {sys.argv[1]} cannot be read: {error.strerror}."
        finding = problem(CHECK, what, "Let the job's user read and write the folder.")
    print(msgspec.json.encode(finding).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
