"""Faults of files: a torn checkpoint, full disks."""

from collections.abc import Callable
from pathlib import Path

from tests.chaos.attack import Attack
from tests.chaos.kills import newest
from tests.chaos.world import now_ms
from tests.support.waiting import wait_until

REFUSAL = "cannot be read"


def torn_log(attack: Attack, log: str) -> None:
    """The job killed, and the newest file of a checkpoint's log cut short as by a power cut."""
    folder = attack.world.checkpoint / log
    _torn(attack, log, lambda: [folder / str(newest(folder))])


def torn_state(attack: Attack) -> None:
    """The job killed, and the state of its newest batches cut short, but their log whole."""
    checkpoint = attack.world.checkpoint
    batches = attack.dice.randrange(1, 5)

    def files() -> list[Path]:
        first = newest(checkpoint / "commits") + 2 - batches
        changes = checkpoint.glob("state/0/[0-9]*/*.changelog")
        return sorted(file for file in changes if int(file.stem) >= first)

    _torn(attack, "state", files)


def _torn(attack: Attack, what: str, files: Callable[[], list[Path]]) -> None:
    """Where the job refuses to go on, do what its sentence says: read the topics again."""
    world = attack.world
    world.wait_for("job")
    attack.pause(0, 2)
    said = world.log("job").stat().st_size
    attack.kill_job(f"job, with a torn file of {what}")
    attack.say(f"torn: {', '.join(_tear(attack, file) for file in files())}")
    world_goes_on = wait_until(
        lambda: _refusal(world.log("job"), said) or _is_back(attack), 300, "the job or its refusal"
    )
    if isinstance(world_goes_on, str):
        attack.say(f"refused: {world_goes_on}")
        _read_topics_again(attack)


def _tear(attack: Attack, file: Path) -> str:
    size = file.stat().st_size
    left = attack.dice.choice((0, size // 2, size - 1))
    with file.open("r+b") as opened:
        opened.truncate(left)
    return f"{file.relative_to(attack.world.checkpoint)} ({left} of {size} bytes left)"


def _is_back(attack: Attack) -> bool:
    return not attack.watches.running()


def _refusal(log: Path, after: int) -> str:
    with log.open("rb") as file:
        file.seek(after)
        lines = file.read().decode(errors="replace").splitlines()
    return next((line for line in lines if "ERROR" in line and REFUSAL in line), "")


def _read_topics_again(attack: Attack) -> None:
    world = attack.world
    world.stop()
    world.checkpoint.rename(world.checkpoint.with_name(f"checkpoint.refused.{now_ms()}"))
    world.start()


def full(attack: Attack, name: str) -> None:
    """No byte left on the disk under one part for a while; then room again."""
    disk = attack.world.disks[name]
    disk.fill()
    try:
        seconds = attack.pause(10, 20)
    finally:
        disk.free()
    attack.say(f"the disk under {name} was full for {seconds:.0f} s")
