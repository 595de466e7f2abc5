"""One program at a time writes to the replay topic, since that has one clock."""

import fcntl
import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contracts.kafka import KafkaSettings
from spark_jobs.file_arguments import FileError


@contextmanager
def only_one(kafka: KafkaSettings) -> Iterator[None]:
    """Held by a replay or an import. The lock is this machine's; FileError when it is taken."""
    place = f"{kafka.bootstrap_servers}/{kafka.topic_prefix}".encode()
    name = f"clickwake-replay-{hashlib.sha256(place).hexdigest()[:16]}.lock"
    with (Path(tempfile.gettempdir()) / name).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FileError("another replay or import is running: wait for it or stop it") from None
        yield
