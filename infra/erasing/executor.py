"""One erasure in the stack: the job's state, the topics, the files, and a scan at the end.

The job stands still meanwhile, and the stack's own Kafka for as long as its files are rewritten;
sites keep what they log until it is back. Interrupted, it is begun again from the start: every
part may be done twice.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from contracts import Erasure
from contracts.kafka import KafkaSettings
from infra.children import LAUNCHER
from infra.erasing import control_topic
from infra.erasing.files import clear_scratch, redact_logs, scan_files
from infra.erasing.topics import rewrite, scan, segments_of, with_joined
from infra.errors import InfraError
from infra.hold import job_on_hold, kafka_on_hold
from infra.paths import Places
from infra.stack import Stack, job_environment
from infra.steps import Steps

MODULE = "spark_jobs.erase"
WHY = "a visitor is being erased"
ROUNDS = 3
"""A site may have held events of before the erasure back; the scan then finds them."""


class Executor:
    """Does what an erasure asks of a stack, on another thread than its supervisor's."""

    def __init__(self, stack: Stack, steps: Steps) -> None:
        self._stack = stack
        self._steps = steps

    @property
    def _here(self) -> Places:
        return self._stack.places

    @property
    def _kafka(self) -> KafkaSettings:
        return self._stack.kafka

    def run(self, erasure: Erasure) -> Erasure:
        """Do it, and tell the topic; what it came to. Raises InfraError or KafkaError."""
        rounds = 1 if self._stack.broker is None else ROUNDS
        for _ in range(rounds):
            erasure = self._told(erasure, phase="cleaning", found={})
            with job_on_hold(self._here, WHY, self._steps):
                erasure = self._clean(erasure)
                # Before the job reads who is barred.
                control_topic.tell(self._kafka, erasure)
            left = erasure.found | self.scan(erasure)
            if not left:
                break
        return self._told(erasure, phase="cleaned", found=left)

    def look_again(self, erasure: Erasure) -> None:
        """Whether retention has taken what the last scan found."""
        self._told(erasure, found=self.scan(erasure))

    def scan(self, erasure: Erasure) -> dict[str, int]:
        """What topics and files still hold, by place."""
        with self._steps.step("Looking for what is left of the visitor") as step:
            found = scan(erasure, self._kafka) | scan_files(erasure, self._here)
            step.done(f"{sum(found.values())} found" if found else "nothing found")
        return found

    def _told(self, erasure: Erasure, **fields: object) -> Erasure:
        told = msgspec.structs.replace(erasure, **fields)
        control_topic.tell(self._kafka, told)
        return told

    def _clean(self, erasure: Erasure) -> Erasure:
        broker = self._stack.broker
        if broker is None:
            # Somebody else's Kafka: what is on it goes by retention, and is barred until then.
            erasure = self._clean_state(erasure)
            erasure = msgspec.structs.replace(erasure, until=_now())
        else:
            erasure = self._clean_state(with_joined(erasure, segments_of(broker.log_folder)))
            erasure = self._clean_topics(erasure, broker.log_folder)
        redact_logs(erasure, self._here)
        return erasure

    def _clean_state(self, erasure: Erasure) -> Erasure:
        with self._steps.step("The job's state without the visitor") as step:
            clear_scratch(self._here)
            done = subprocess.run(
                [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), *self._command()],
                input=msgspec.json.encode(erasure),
                env=job_environment(self._stack),
                stdout=subprocess.PIPE,
                check=False,
            )
            clear_scratch(self._here)
            if done.returncode:
                raise InfraError("The job's state could not be cleaned: see the lines above.")
            step.done()
        return msgspec.json.decode(done.stdout, type=Erasure)

    def _clean_topics(self, erasure: Erasure, records: Path) -> Erasure:
        with self._steps.step("The topics without the visitor") as step:
            with kafka_on_hold(self._here, WHY):
                # Whatever Kafka has appended is older than this.
                erasure = msgspec.structs.replace(erasure, until=_now())
                dropped = rewrite(erasure, segments_of(records))
            step.done(f"{dropped} record(s)")
        return erasure

    def _command(self) -> list[str]:
        return [sys.executable, "-m", MODULE, "--savepoints", str(self._here.savepoints)]


def _now() -> int:
    return int(time.time() * 1000)
