"""A thread of the supervisor that does what the topic of erasures asks for."""

import logging
import threading
import time

from kafka.errors import KafkaError

from contracts import Erasure
from infra.erasing.control_topic import Reader
from infra.erasing.executor import Executor
from infra.errors import InfraError
from infra.stack import Stack
from infra.steps import Steps

EVERY_SECONDS = 1.0
AFTER_FAILURE_SECONDS = 30.0
AGAIN_SECONDS = 600.0
"""After how long one whose scan found something is tried again."""
SCAN_SECONDS = 3600.0
"""And on somebody else's Kafka, where only retention helps, looked for again."""
FAILURES = (InfraError, KafkaError, OSError, ValueError)


class ErasureWatch(threading.Thread):
    """Looks once a second; erasures are done one after the other."""

    def __init__(self, stack: Stack, steps: Steps) -> None:
        super().__init__(name="erasures", daemon=True)
        self._stack = stack
        self._steps = steps
        self._executor = Executor(stack, steps)
        self._stopping = threading.Event()
        self._not_before: dict[str, float] = {}

    def stop(self) -> None:
        """Do not begin another; what goes on is begun again after the next start."""
        self._stopping.set()

    def run(self) -> None:
        """Until ``stop``."""
        # It reports each failed attempt to connect, and the supervisor writes for people.
        logging.getLogger("kafka").setLevel(logging.CRITICAL)
        while not self._stopping.wait(EVERY_SECONDS):
            try:
                erasure = self._next()
            except FAILURES:
                continue  # Kafka is away: the supervisor says so, and starts it
            if erasure is not None:
                self._do(erasure)

    def _next(self) -> Erasure | None:
        """Wait for one that is due. Whoever stops Kafka begins with a new connection."""
        reader = Reader(self._stack.kafka)
        try:
            while not self._stopping.wait(EVERY_SECONDS):
                due = [one for one in reader.newest() if self._is_due(one)]
                if due:
                    return due[0]
        finally:
            reader.close()
        return None

    def _do(self, erasure: Erasure) -> None:
        is_others_kafka = self._stack.broker is None
        again = SCAN_SECONDS if is_others_kafka else AGAIN_SECONDS
        try:
            if is_others_kafka and erasure.phase == "cleaned":
                self._executor.look_again(erasure)
            else:
                self._executor.run(erasure)
        except FAILURES as error:
            self._steps.say(f"An erasure does not go on: {error}")
            again = AFTER_FAILURE_SECONDS
        self._not_before[erasure.erasure_id] = time.monotonic() + again

    def _is_due(self, erasure: Erasure) -> bool:
        is_left = erasure.phase == "cleaned" and bool(erasure.found)
        if not is_left and erasure.phase not in {"requested", "cleaning"}:
            return False
        return time.monotonic() >= self._not_before.get(erasure.erasure_id, 0.0)
