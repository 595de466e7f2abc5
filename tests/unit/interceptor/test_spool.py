"""The spool on a real disk: order, bounds, heirs, damage, and a disk that fails."""

import errno
import os
import resource
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from interceptor.spool_folder import Folder
from tests.support.logs import said
from tests.unit.interceptor.spooling import Process, balances, files, record


def test_events_come_back_in_order_and_leave_nothing_behind(tmp_path):
    process = Process(tmp_path / "spool")
    assert process.keep(record(1), record(2)) == [True, True]
    process.keep(record(3))
    assert process.stats().spooled == 3
    assert process.take_all() == [b"1", b"2", b"3"]
    assert list((tmp_path / "spool").iterdir()) == []
    stats = process.stats()
    assert (stats.observed, stats.sent, stats.spooled) == (3, 3, 0)


def test_without_a_directory_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = Process("")
    assert process.keep(record(1)) == [False]
    process.spools.adopt()
    assert (process.spools.enabled, process.spools.head(), list(tmp_path.iterdir())) == (
        False,
        None,
        [],
    )


def test_only_the_owner_may_read_it(tmp_path):
    before = os.umask(0)
    try:
        Process(tmp_path / "spool").keep(record(1))
    finally:
        os.umask(before)
    (folder,) = (tmp_path / "spool").iterdir()
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "spool", folder)] == [0o700] * 2
    assert {file.name: file.stat().st_mode & 0o777 for file in files(folder)} == {
        "00000001.events": 0o600,
        "lock": 0o600,
        "state.json": 0o600,
    }


def test_a_full_spool_refuses_the_newest_and_says_so(tmp_path):
    process = Process(tmp_path, spool_size=65_536)
    kept = process.keep(*(record(n, size=1000) for n in range(80)))
    assert kept == sorted(kept, reverse=True), "first yes, then no"
    assert (sum(kept), process.spools.refusal) == (64, "spool_full")
    assert sum(file.stat().st_size for file in files(tmp_path)) < 65_536 + 1_000
    assert process.take_all()[0].startswith(b"0x")
    assert process.keep(record(99)) == [True]
    assert process.spools.refusal is None


def test_acknowledged_files_are_deleted_one_by_one(tmp_path):
    process = Process(tmp_path, spool_size=65_536)
    process.keep(*(record(n, size=1000) for n in range(40)))
    before = len(files(tmp_path))
    spool = process.spools.head()
    process.spools.acknowledge(spool, len(process.spools.peek(spool, 100)))
    assert len(files(tmp_path)) == before - 1


def test_an_heir_sends_what_a_killed_process_left_and_both_accounts_balance(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1), record(2), record(3))
    dead.die()
    heir.spools.adopt()
    last_words = heir.spools.last_words(heir.spools.head())
    assert (last_words.instance, last_words.observed) == (dead.ledger.instance, 3)
    assert (last_words.spooled, last_words.queued) == (3, 0)
    assert heir.take_all() == [b"1", b"2", b"3"]
    stats = heir.stats()
    assert (stats.observed, stats.adopted, stats.sent, stats.spooled) == (0, 3, 3, 0)
    assert balances(last_words, stats)
    assert last_words.spooled - stats.adopted == 0, "nothing lies on disks"
    assert list(tmp_path.iterdir()) == []


def test_a_living_process_keeps_its_own(tmp_path):
    living, other = Process(tmp_path), Process(tmp_path)
    living.keep(record(1))
    other.spools.adopt()
    assert (other.spools.count, other.stats().adopted) == (0, 0)
    assert living.take_all() == [b"1"]


def test_two_heirs_never_hold_the_same_folder(tmp_path):
    dead, one, two = Process(tmp_path), Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    dead.die()
    one.spools.adopt()
    two.spools.adopt()
    assert (one.spools.count, two.spools.count) == (1, 0)
    assert Folder.seize(one.spools.head().folder.path) is None


def test_heirs_that_race_take_each_event_once(tmp_path):
    for number in range(60):
        dead = Process(tmp_path)
        dead.keep(record(number))
        dead.die()
    heirs = [Process(tmp_path) for _ in range(4)]
    start = threading.Barrier(len(heirs))

    def inherit(heir):
        start.wait()
        heir.spools.adopt()
        return heir.take_all()

    with ThreadPoolExecutor(len(heirs)) as pool:
        taken = [value for values in pool.map(inherit, heirs) for value in values]
    assert sorted(map(int, taken)) == list(range(60))
    assert sum(heir.stats().adopted for heir in heirs) == 60
    assert [heir.stats().spool_errors for heir in heirs] == [0] * 4
    assert list(tmp_path.iterdir()) == []


def test_an_heir_that_dies_half_way_leaves_the_rest_and_the_sums_agree(tmp_path):
    dead, first, second = Process(tmp_path), Process(tmp_path), Process(tmp_path)
    dead.keep(*(record(n) for n in range(6)))
    dead.die()
    first.spools.adopt()
    spool = first.spools.head()
    assert len(first.spools.peek(spool, 2)) == 2
    first.ledger.resent()
    first.ledger.resent()
    first.spools.acknowledge(spool, 2)
    words = first.spools.last_words(spool)
    first.die()
    second.spools.adopt()
    again = second.spools.last_words(second.spools.head())
    assert again == words, "a closed account stays as it is"
    assert second.take_all() == [b"2", b"3", b"4", b"5"]
    everybody = (words, first.stats(), second.stats())
    assert balances(*everybody)
    assert [one.adopted for one in everybody] == [0, 6, 4]
    assert sum(one.spooled - one.adopted for one in everybody) == 0
    assert sum(one.sent for one in everybody) == 6


def test_what_was_adopted_comes_before_what_is_new(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    dead.die()
    heir.keep(record(2))
    heir.spools.adopt()
    assert heir.take_all() == [b"1", b"2"]


def test_an_heir_takes_no_more_than_fits_until_it_has_sent_some(tmp_path):
    processes = [Process(tmp_path) for _ in range(2)]
    for number, process in enumerate(processes):
        process.keep(*(record(number, size=1000) for _ in range(40)))
        process.die()
    heir = Process(tmp_path, spool_size=65_536)
    heir.spools.adopt()
    assert heir.spools.count == 40
    heir.take_all()
    heir.spools._next_adoption = 0.0
    heir.spools.adopt()
    assert heir.spools.count == 40


def newest_segment(directory):
    return [file for file in files(directory) if file.suffix == ".events"][-1]


def test_what_others_keep_in_the_directory_is_left_alone(tmp_path):
    """A site's own data folder, say, with something that looks a little like a spool."""
    theirs = [tmp_path / "uploads" / name for name in ("lock", "photo.jpg", "00000001.events")]
    (tmp_path / "uploads").mkdir()
    for file in (*theirs, tmp_path / "shop.db"):
        file.write_text("precious")
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    dead.die()
    (folder,) = tmp_path.glob("*.clickwake-spool")
    (folder / "notes.txt").write_text("precious")
    heir.spools.adopt()
    assert heir.take_all() == [b"1"]
    assert files(tmp_path) == sorted([folder / "notes.txt", tmp_path / "shop.db", *theirs])
    assert {file.read_text() for file in files(tmp_path)} == {"precious"}
    assert heir.stats().spool_errors == 0


def test_a_torn_tail_is_dropped_and_counted_and_the_rest_is_read(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1), record(2), record(3))
    dead.die()
    file = newest_segment(tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    heir.spools.adopt()
    last_words = heir.spools.last_words(heir.spools.head())
    assert (last_words.spooled, last_words.lost) == (2, {"spool_damaged": 1})
    assert heir.take_all() == [b"1", b"2"]
    assert balances(last_words, heir.stats())


def test_zeros_where_a_power_cut_left_no_data_are_no_records(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1), record(2))
    dead.die()
    file = newest_segment(tmp_path)
    file.write_bytes(file.read_bytes() + bytes(4096))
    heir.spools.adopt()
    assert heir.take_all() == [b"1", b"2"]


def test_a_damaged_record_is_stepped_over_and_counted(tmp_path):
    process = Process(tmp_path)
    process.keep(record(1), record(2), record(3))
    file = newest_segment(tmp_path)
    data = bytearray(file.read_bytes())
    data[data.index(b"shop/v2") + 6] ^= 1
    file.write_bytes(bytes(data))
    assert process.take_all() == [b"1", b"3"]
    stats = process.stats()
    assert (stats.sent, stats.spooled, stats.lost) == (2, 0, {"spool_damaged": 1})
    assert balances(stats)


def test_a_file_that_somebody_deleted_is_counted(tmp_path):
    process = Process(tmp_path)
    process.keep(record(1), record(2))
    newest_segment(tmp_path).unlink()
    assert process.take_all() == []
    assert process.stats().lost == {"spool_damaged": 2}
    assert balances(process.stats())


def test_events_spooled_after_the_last_count_are_found_and_those_in_memory_were_lost(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    for _ in range(2):
        dead.ledger.observed()
    dead.stats = lambda: dead.ledger.stats(queued=2)
    dead.spools._counts = dead.stats
    dead.spools.commit()
    dead.spools.append(record(2))
    dead.die()
    heir.spools.adopt()
    last_words = heir.spools.last_words(heir.spools.head())
    assert (last_words.observed, last_words.spooled, last_words.queued) == (3, 2, 0)
    assert last_words.lost == {"killed": 1}
    assert heir.take_all() == [b"1", b"2"]


def test_a_folder_without_a_readable_state_is_sent_all_the_same(tmp_path):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    dead.die()
    (state,) = tmp_path.glob("*/state.json")
    state.write_bytes(b"")
    heir.spools.adopt()
    assert heir.spools.last_words(heir.spools.head()) is None
    assert heir.take_all() == [b"1"]
    assert balances(heir.stats())


@contextmanager
def no_file_beyond(size):
    """The kernel refuses to let any file of this process grow further, in mid-write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_disk_that_takes_half_a_record_costs_only_that_one(tmp_path, caplog):
    process = Process(tmp_path)
    process.keep(record(1, size=1000))
    with no_file_beyond(1_500):
        assert process.keep(record(2, size=1000)) == [False]
    assert process.spools.refusal == "spool_failed"
    assert process.stats().spool_errors == 1
    assert "the site is not affected" in caplog.text
    assert process.keep(record(3)) == [False], "the disk rests"
    process.spools.try_again()
    assert process.keep(record(4)) == [True]
    process.die()
    heir = Process(tmp_path)
    heir.spools.adopt()
    assert [value[:1] for value in heir.take_all()] == [b"1", b"4"]


def test_a_directory_that_cannot_be_used_is_an_error_that_says_what_to_do(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    process = Process(tmp_path / "file" / "spool")
    for _ in range(3):
        assert process.keep(record(1)) == [False]
        process.spools._rests_until = 0.0
    assert process.stats().spool_errors == 3
    (warning,) = said(caplog, "clickwake.interceptor")
    assert "check the disk, or set CLICKWAKE_SITE_SPOOL_DIRECTORY" in warning


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, "make room"), (errno.EROFS, "mount it"), (errno.EACCES, "let the site's user")],
)
def test_advice_by_what_is_wrong(tmp_path, caplog, monkeypatch, number, advice):
    def fails(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Folder, "create", fails)
    Process(tmp_path).keep(record(1))
    assert advice in caplog.text


def test_what_cannot_be_deleted_is_not_sent_again(tmp_path, monkeypatch):
    dead, heir = Process(tmp_path), Process(tmp_path)
    dead.keep(record(1))
    dead.die()

    def fails(folder):
        folder.release()
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Folder, "remove", fails)
    heir.spools.adopt()
    assert heir.take_all() == [b"1"]
    heir.spools.try_again()
    heir.spools._next_adoption = 0.0
    heir.spools.adopt()
    assert heir.spools.head() is None


@pytest.mark.parametrize(("sync", "syncs"), [("always", 4), ("second", 2), ("never", 0)])
def test_the_disk_is_told_as_often_as_set(tmp_path, monkeypatch, sync, syncs):
    """Two of the first four are the new folder's entry and the first round."""
    calls = []
    monkeypatch.setattr(os, "fsync", calls.append)
    monkeypatch.setattr("interceptor.spool.SYNC_EVERY_S", 3600.0)
    process = Process(tmp_path, spool_sync=sync)
    for number in range(3):
        process.keep(record(number))
    assert len(calls) == syncs


def test_the_last_round_is_synced_though_nothing_more_comes(tmp_path, monkeypatch):
    calls = []
    process = Process(tmp_path)
    process.keep(record(1))
    monkeypatch.setattr("interceptor.spool.SYNC_EVERY_S", 3600.0)
    process.spools.head()._next_sync = 3600.0 * 1_000_000
    monkeypatch.setattr(os, "fsync", calls.append)
    process.keep(record(2))
    process.spools.sync_when_due()
    assert calls == []
    process.spools.head()._next_sync = 0.0
    process.spools.sync_when_due()
    process.spools.sync_when_due()
    assert len(calls) == 1
