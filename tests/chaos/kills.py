"""Faults of processes: killed, frozen, kept down."""

import os
import signal
import time
from pathlib import Path

from infra.processes import is_running, session_members
from tests.chaos.attack import Attack, BrokenError
from tests.chaos.world import now_ms, signal_all
from tests.support.waiting import wait_until

AIM_SECONDS = 30.0
FREEZE_SECONDS = 30.0
LAST_ANSWERS_SECONDS = 3.0
"""So long a site may go on answering that is told to end."""


def job(attack: Attack) -> None:
    """kill -9 of the job at any moment, or of one of its processes alone; at times twice."""
    attack.pause(0, 3)
    mark = attack.world.wait_for("job")
    part = attack.dice.choice(("all of it", "driver", "JVM", "worker"))
    members = session_members(mark.pid)
    victims = [pid for pid in members if part in ("all of it", _part(pid, mark.pid))]
    is_twice = attack.dice.random() < 0.2
    attack.say(f"kill -9 of the job: {part}{', twice' if is_twice else ''}")
    begun = now_ms()
    signal_all(victims, signal.SIGKILL)
    wait_until(lambda: not session_members(mark.pid), 60, "the end of the job")
    attack.watches.start("job, killed again in its start" if is_twice else "job", begun)
    if is_twice:
        wait_until(lambda: attack.world.mark("job"), 60, "the job's restart")
        attack.pause(0.5, 10)
        attack.kill_job("job, killed in its start")


def _part(pid: int, leader: int) -> str:
    if pid == leader:
        return "driver"
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return "gone"
    return "JVM" if b"java" in command.split(b"\0")[0] else "worker"


def job_before_commit(attack: Attack) -> None:
    """kill -9 of the job when a batch is in Kafka and not yet committed."""
    attack.world.wait_for("job")
    attack.pause(0, 2)
    number, is_hit = _between_sink_and_commit(attack)
    attack.kill_job("job")
    done = (attack.world.checkpoint / "commits" / str(number)).exists()
    attack.say(f"batch {number}: {'hit' if is_hit and not done else 'its commit came first'}")


def _between_sink_and_commit(attack: Attack) -> tuple[int, bool]:
    """Wait for a batch that has written to Kafka and is not committed; its number."""
    offsets, commits = (attack.world.checkpoint / name for name in ("offsets", "commits"))
    deadline = time.monotonic() + AIM_SECONDS
    number, updates = newest(offsets), attack.watches.updates
    while time.monotonic() < deadline:
        latest = newest(offsets)
        if latest != number:
            number, updates = latest, attack.watches.updates
        is_written = attack.watches.updates > updates
        if is_written and not (commits / str(number)).exists():
            return number, True
        time.sleep(0.001)
    return number, False


def newest(folder: Path) -> int:
    """The highest number among a log's files; -1 without any."""
    return max((int(name) for name in os.listdir(folder) if name.isdecimal()), default=-1)


def broker(attack: Attack) -> None:
    """kill -9 of the broker."""
    attack.pause(0, 2)
    attack.world.kill("kafka")


def broker_away(attack: Attack) -> None:
    """The broker down for minutes: it cannot be started, as its settings are away."""
    settings = attack.world.data / "kafka" / "server.properties"
    aside = settings.with_suffix(".aside")
    settings.rename(aside)
    try:
        attack.world.kill("kafka")
        seconds = attack.pause(60, 150)
        attack.say(f"the broker was down for {seconds:.0f} s")
        assert not attack.world.has_kafka(), "it was not down"
    finally:
        aside.rename(settings)


def api(attack: Attack) -> None:
    """kill -9 of the API."""
    attack.pause(0, 2)
    attack.world.kill("api")


def site(attack: Attack) -> None:
    """kill -9 of the interceptor's host."""
    attack.pause(0, 2)
    killed = time.time()
    attack.world.kill("site")
    attack.excuse(killed)


def supervisor(attack: Attack) -> None:
    """kill -9 of the supervisor; then start again, while what it ran may still be ending."""
    attack.pause(0, 2)
    orphans = attack.world.kill_supervisor()
    killed = time.time() + LAST_ANSWERS_SECONDS
    attack.pause(0, 5)
    attack.world.start()
    left = [mark.pid for mark in orphans if is_running(mark)]
    if left:
        raise BrokenError(f"processes of the killed supervisor still run beside the new: {left}")
    attack.excuse(killed)


def freeze(attack: Attack, name: str) -> None:
    """SIGSTOP for half a minute, then SIGCONT."""
    mark = attack.world.wait_for(name)
    members = session_members(mark.pid)
    signal_all(members, signal.SIGSTOP)
    try:
        time.sleep(FREEZE_SECONDS)
    finally:
        signal_all(members, signal.SIGCONT)
    attack.say(f"{name} goes on after {FREEZE_SECONDS:.0f} s")
