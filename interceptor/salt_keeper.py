"""The thread that agrees with the site's other processes on each day's salt."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from contracts.kafka import KafkaSettings
from interceptor.salt_folder import SaltFolder
from interceptor.salt_topic import SaltTopic
from interceptor.salts import DAY_MS, Now, SaltBook
from interceptor.settings import SiteSettings

log = logging.getLogger("clickwake.interceptor")

AHEAD_MS = 6 * 60 * 60 * 1000
"""Tomorrow's salt is agreed on so early, so that a Kafka that is away at midnight is no harm."""
ROUND_EVERY_S = 60.0
FIRST_PAUSE_S = 1.0
END_S = 0.5


class Agreement(Protocol):
    """Where salts are shared."""

    def agree(self, proposals: dict[int, bytes], /) -> dict[int, bytes]:
        """The salts of all days that have one, after each proposed day has one."""


class SaltKeeper:
    """Keeps a book of salts up to date, for as long as the emitter runs.

    What the topic says stands above what the folder says, and that above a salt of our own.
    Requests never wait for it: until it has found out, the book makes do with what it has.
    """

    def __init__(
        self, book: SaltBook, folder: SaltFolder | None, topic: Agreement, now: Now
    ) -> None:
        self._book, self._folder, self._topic, self._now = book, folder, topic, now
        self._settled: set[int] = set()
        self._has_failed = False
        self._disk_failed = False
        self.after_fork()
        # Here, as the site starts: it is quick, and processes forked from here on have them.
        self._ask_folder(self._wanted())

    def after_fork(self) -> None:
        """In the child: the thread is the parent's."""
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        """Begin to share, in a thread of its own."""
        if self._thread is None:
            self._stopping = threading.Event()
            run = threading.Thread(
                target=self._run, args=(self._stopping,), name="clickwake-salts", daemon=True
            )
            self._thread = run
            run.start()

    def stop(self) -> None:
        """End the thread, or leave it behind when it is just waiting for Kafka."""
        thread, self._thread = self._thread, None
        self._stopping.set()
        if thread is not None:
            thread.join(END_S)

    def round(self) -> bool:
        """Forget what is old and agree on what is needed; False when Kafka did not do it."""
        self._forget()
        missing = [day for day in self._wanted() if day not in self._settled]
        if not missing:
            return True
        self._ask_folder(missing)
        return self._ask_topic(missing)

    def _run(self, stopping: threading.Event) -> None:
        pause_s = FIRST_PAUSE_S
        while not stopping.is_set():
            if self._guarded_round():
                pause_s = FIRST_PAUSE_S
                stopping.wait(ROUND_EVERY_S)
            else:
                stopping.wait(pause_s)
                pause_s = min(2 * pause_s, ROUND_EVERY_S)

    def _guarded_round(self) -> bool:
        try:
            return self.round()
        except Exception:
            log.exception("the visitors' salts could not be looked after; tried again")
            return False

    def _wanted(self) -> list[int]:
        """Today, and tomorrow when it is near."""
        today = self._book.today()
        is_late = self._now() % DAY_MS >= DAY_MS - AHEAD_MS
        return [today, today + 1] if is_late else [today]

    def _forget(self) -> None:
        self._book.forget()
        yesterday = self._book.today() - 1
        self._settled = {day for day in self._settled if day >= yesterday}
        if self._folder is not None:
            with self._disk():
                self._folder.forget(yesterday)

    def _ask_folder(self, days: list[int]) -> None:
        if self._folder is not None:
            with self._disk():
                found = self._recent(self._folder.agree(self._proposals(days)))
                # The topic has the last word, and may have spoken to this process first.
                self._book.learn({d: found[d] for d in found if d not in self._settled})

    def _ask_topic(self, days: list[int]) -> bool:
        try:
            agreed = self._recent(self._topic.agree(self._proposals(days)))
        except Exception as error:
            self._warn_of_kafka(error)
            return False
        self._has_failed = False
        self._book.learn(agreed)
        self._settled.update(agreed)
        if self._folder is not None:
            with self._disk():
                self._folder.correct(agreed)
        return True

    def _proposals(self, days: list[int]) -> dict[int, bytes]:
        return {day: self._book.salt(day) for day in days}

    def _recent(self, salts: dict[int, bytes]) -> dict[int, bytes]:
        """Without those that are to be forgotten."""
        yesterday = self._book.today() - 1
        return {day: salt for day, salt in salts.items() if day >= yesterday}

    @contextmanager
    def _disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._disk_failed:
                self._disk_failed = True
                log.warning(
                    "The salts of visitor ids cannot be kept on the disk (%s): let the site's "
                    "user write to CLICKWAKE_SITE_SALT_DIRECTORY, or set another one",
                    error,
                )

    def _warn_of_kafka(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            log.warning(
                "The salts of visitor ids cannot be shared through Kafka (%s: %s); until they "
                "can, a visitor may count once for each of the site's %s; sharing is tried again",
                type(error).__name__,
                error,
                "processes" if self._folder is None else "machines",
            )


def salt_keeper(site: SiteSettings, kafka: KafkaSettings, book: SaltBook, now: Now) -> SaltKeeper:
    """The keeper that the settings describe."""
    return SaltKeeper(book, _folder(site), SaltTopic(site, kafka), now)


def _folder(site: SiteSettings) -> SaltFolder | None:
    if site.salt_directory:
        return SaltFolder(Path(site.salt_directory), site.site_id)
    if site.spool_directory:
        return SaltFolder(Path(site.spool_directory) / "salts", site.site_id)
    return None
