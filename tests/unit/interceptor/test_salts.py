"""Salts in a folder, and the keeper that agrees on them; the topic is in tests/integration."""

import contextlib
import logging
import os
import stat

import pytest

from interceptor.errors import InterceptorError
from interceptor.salt_folder import SaltFolder
from interceptor.salt_keeper import SaltKeeper
from interceptor.salts import SaltBook, day_number
from tests.support.logs import said
from tests.support.salting import ADDRESS, FIREFOX, Clock, at, rotating
from tests.support.waiting import wait_until

FRIDAY, SATURDAY, SUNDAY = map(day_number, ("2026-02-27", "2026-02-28", "2026-03-01"))
A, B, C = b"a" * 32, b"b" * 32, b"c" * 32


class Shelf:
    """Agrees as the topic does: whoever comes first."""

    def __init__(self):
        self.salts, self.asked, self.is_away = {}, 0, False

    def agree(self, proposals):
        self.asked += 1
        if self.is_away:
            raise InterceptorError("away")
        self.salts = {**proposals, **self.salts}
        return dict(self.salts)


@pytest.fixture
def clock():
    return Clock("2026-02-28 12:00")


def keeper(clock, topic, folder=None):
    book = SaltBook(clock)
    return book, SaltKeeper(book, folder, topic, clock)


def test_the_first_file_of_a_day_wins(tmp_path):
    one, other = SaltFolder(tmp_path / "salts", "shop"), SaltFolder(tmp_path / "salts", "shop")
    assert one.agree({SATURDAY: A}) == {SATURDAY: A}
    assert other.agree({SATURDAY: B, SUNDAY: B}) == {SATURDAY: A, SUNDAY: B}
    assert one.agree({}) == {SATURDAY: A, SUNDAY: B}


def test_a_file_that_appears_between_look_and_link_wins(tmp_path, monkeypatch):
    one, other = SaltFolder(tmp_path, "shop"), SaltFolder(tmp_path, "shop")
    written = one._written

    def slow(salt):
        other.agree({SATURDAY: B})
        return written(salt)

    monkeypatch.setattr(one, "_written", slow)
    assert one.agree({SATURDAY: A}) == {SATURDAY: B}


def test_sites_share_a_folder_and_no_salts(tmp_path):
    assert SaltFolder(tmp_path, "shop").agree({SATURDAY: A}) == {SATURDAY: A}
    assert SaltFolder(tmp_path, "shop.eu").agree({SATURDAY: B}) == {SATURDAY: B}
    assert SaltFolder(tmp_path, "shop").agree({SATURDAY: C}) == {SATURDAY: A}


def test_files_are_for_their_owner_and_nothing_else_stays(tmp_path):
    SaltFolder(tmp_path / "salts", "shop").agree({SATURDAY: A})
    (file,) = (tmp_path / "salts").iterdir()
    assert file.name == "shop.2026-02-28.clickwake-salt"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "salts").stat().st_mode) == 0o700


def test_a_broken_file_is_made_anew(tmp_path):
    (tmp_path / "shop.2026-02-28.clickwake-salt").write_bytes(b"")
    (tmp_path / "shop.notaday.clickwake-salt").write_bytes(b"")
    (tmp_path / "readme.txt").write_bytes(b"")
    assert SaltFolder(tmp_path, "shop").agree({SATURDAY: A}) == {SATURDAY: A}
    assert len(list(tmp_path.iterdir())) == 3


def test_old_files_are_deleted(tmp_path):
    folder = SaltFolder(tmp_path, "shop")
    folder.agree({FRIDAY: A, SATURDAY: B})
    folder.forget(before=SATURDAY)
    assert folder.agree({}) == {SATURDAY: B}


def test_two_keepers_agree_and_the_later_one_switches(clock):
    topic = Shelf()
    (first, one), (second, other) = keeper(clock, topic), keeper(clock, topic)
    assert first.salt(SATURDAY) != second.salt(SATURDAY)
    assert one.round()
    assert other.round()
    assert first.salt(SATURDAY) == second.salt(SATURDAY) == topic.salts[SATURDAY]


def test_tomorrows_salt_is_agreed_on_ahead_and_asked_for_once(clock):
    topic = Shelf()
    book, one = keeper(clock, topic)
    asked = {"12:00": 1, "17:59": 1, "18:00": 2, "18:01": 2, "23:59": 2}
    for moment, number in asked.items():
        clock.set(f"2026-02-28 {moment}")
        assert one.round()
        assert topic.asked == number
    clock.set("2026-03-01 00:00")
    assert one.round()
    assert topic.asked == 2
    assert book.salt(SUNDAY) == topic.salts[SUNDAY]


def test_salts_are_gone_after_two_days(clock, tmp_path):
    topic, folder = Shelf(), SaltFolder(tmp_path, "shop")
    book, one = keeper(clock, topic, folder)
    one.round()
    clock.set("2026-03-01 23:59")
    one.round()
    assert book.known(SATURDAY) is not None
    assert SATURDAY in folder.agree({})
    clock.set("2026-03-02 00:00")
    one.round()
    assert book.known(SATURDAY) is None
    assert SATURDAY not in folder.agree({})


def test_what_kafka_is_late_to_delete_is_not_learned_again(clock):
    topic = Shelf()
    topic.salts = {FRIDAY - 1: A, FRIDAY: B}
    book, one = keeper(clock, topic)
    assert one.round()
    assert (book.known(FRIDAY - 1), book.known(FRIDAY)) == (None, B)


def test_a_restart_without_kafka_has_the_folders_salts_at_once(clock, tmp_path):
    topic = Shelf()
    before, one = keeper(clock, topic, SaltFolder(tmp_path, "shop"))
    one.round()
    topic.is_away = True
    after, _ = keeper(clock, topic, SaltFolder(tmp_path, "shop"))
    assert after.known(SATURDAY) == before.known(SATURDAY)


def test_yesterdays_salt_is_found_again_after_midnight(clock, tmp_path):
    before, one = keeper(clock, Shelf(), SaltFolder(tmp_path, "shop"))
    one.round()
    clock.set("2026-03-01 00:05")
    after, _ = keeper(clock, Shelf(), SaltFolder(tmp_path, "shop"))
    old = rotating(before).names(ADDRESS, FIREFOX, at("2026-02-28 23:00"), None)
    new = rotating(after).names(ADDRESS, FIREFOX, at("2026-03-01 00:05"), None)
    assert new.before == old.now


def test_what_kafka_says_stands_above_the_folder(clock, tmp_path):
    topic = Shelf()
    topic.salts = {SATURDAY: A}
    book, one = keeper(clock, topic, SaltFolder(tmp_path, "shop"))
    beside, other = keeper(clock, Shelf(), SaltFolder(tmp_path, "shop"))
    assert book.salt(SATURDAY) == beside.salt(SATURDAY) != A
    assert one.round()
    assert book.salt(SATURDAY) == A
    # The other worker of the machine hears it from the folder, as long as its Kafka is away.
    other._topic.is_away = True
    assert not other.round()
    assert beside.salt(SATURDAY) == A


def test_a_day_that_kafka_has_settled_stays_whatever_a_file_says(clock, tmp_path):
    topic = Shelf()
    book, one = keeper(clock, topic, SaltFolder(tmp_path, "shop"))
    assert one.round()
    settled = book.known(SATURDAY)
    SaltFolder(tmp_path, "shop").correct({SATURDAY: C})
    topic.is_away = True
    clock.set("2026-02-28 18:00")
    assert not one.round()
    assert book.known(SATURDAY) == settled


def test_kafka_that_is_away_is_told_once_and_asked_again(clock, caplog):
    topic = Shelf()
    topic.is_away = True
    book, one = keeper(clock, topic)
    with caplog.at_level(logging.WARNING):
        assert not one.round()
        assert not one.round()
    assert len(said(caplog, "clickwake.interceptor")) == 1
    topic.is_away = False
    assert one.round()
    assert topic.salts == {SATURDAY: book.salt(SATURDAY)}


def test_a_folder_that_cannot_be_written_is_told_once(clock, tmp_path, caplog):
    (tmp_path / "file").write_bytes(b"")
    book, one = keeper(clock, Shelf(), SaltFolder(tmp_path / "file", "shop"))
    assert one.round()
    assert len(said(caplog, "clickwake.interceptor")) == 1
    assert "CLICKWAKE_SITE_SALT_DIRECTORY" in caplog.text
    assert book.salt(SATURDAY)


def test_the_thread_shares_and_ends(clock):
    topic = Shelf()
    book, one = keeper(clock, topic)
    one.start()
    wait_until(lambda: topic.salts == {SATURDAY: book.salt(SATURDAY)}, what="the salt is shared")
    thread = one._thread
    one.stop()
    assert not thread.is_alive()


def test_a_forked_child_shares_by_a_thread_of_its_own(clock):
    topic = Shelf()
    _, one = keeper(clock, topic)
    one.start()
    wait_until(lambda: topic.asked == 1, what="the parent shares")
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            one.after_fork()
            one.start()
            wait_until(one._thread.is_alive, 30)
            one.stop()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    one.stop()
