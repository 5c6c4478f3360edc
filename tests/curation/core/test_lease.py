"""A run's folder in a store has one holder at a time, and one that lost it changes nothing more."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import pytest

from curation.core import lease, storage, stores
from curation.core.errors import InputError, StageError
from curation.core.lease import Claim, Holder, current, held
from curation.core.run_lock import holder, only_run
from tests.object_store import server as server
from tests.object_store import store as store


@pytest.fixture
def run() -> str:
    return f"memory://{uuid4().hex}/run"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW", 0.1)
    monkeypatch.setattr(lease, "STALE", 0.6)


def of(pid: int = 1) -> Claim:
    return replace(Claim.of(Holder(pid, "me", "node-1", "2026-11-22T10:00:00+00:00")), machine="elsewhere")


def leave(run: str, epoch: int, content: bytes) -> None:
    """The object of a driver elsewhere, past the guards of this process."""
    fs, path = storage.resolve(f"{run}/.lease-{epoch:08d}")
    stores.replace(fs, path, content)


def test_epochs_go_up_and_one_object_stays(run: str) -> None:
    for epoch in (1, 2, 3):
        with held(run, of()):
            assert current(run)[0] == epoch
        assert storage.list_names(run) == [f".lease-{epoch:08d}"]
    assert holder(run) == (None, False)


def test_a_second_driver_is_refused_by_the_first_ones_name(run: str) -> None:
    message = f"another winnow is running in {run}: process 7 of me on node-1, since 2026-11-22"
    with held(run, of(7)):
        with pytest.raises(InputError, match=message), only_run(run):
            pass
        named, is_held = holder(run)
        assert named is not None
        assert (named.pid, named.host, is_held) == (7, "node-1", None)
        storage.write_bytes(f"{run}/run.json", b"{}")
    with only_run(run):
        pass


@pytest.mark.parametrize(
    ("left", "who"),
    [(of(7).content(), "process 7 of me on node-1, since 2026-11-22"), (b"{", "another process; taken over in")],
    ids=["readable", "unreadable"],
)
def test_a_stale_lease_is_taken_over_after_its_time(
    run: str, left: bytes, who: str, caplog: pytest.LogCaptureFixture
) -> None:
    leave(run, 4, left)
    started = time.monotonic()
    with held(run, of()):
        assert time.monotonic() - started >= lease.STALE
        assert current(run)[0] == 5
    assert f"{run} was held by {who}" in caplog.text


def test_a_lease_that_becomes_readable_and_is_renewed_is_not_taken_over(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "STALE", 3600.0)
    leave(run, 4, b"{")
    with ThreadPoolExecutor(1) as other:
        renewing = other.submit(_renewed, run, 4)
        with pytest.raises(InputError, match=r"another winnow is running in .*: process 7 of"), held(run, of()):
            pass
        renewing.result()
    assert storage.list_names(run) == [".lease-00000004"]


def _renewed(run: str, epoch: int) -> None:
    for renewals in range(20):
        time.sleep(0.05)
        leave(run, epoch, replace(of(7), token="7", renewals=renewals).content())


def test_one_that_was_late_to_take_over_holds_nothing(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stood still after it had seen epoch 1, which two others took over meanwhile."""
    leave(run, 3, of(9).content())
    before = iter([(1, replace(of(), released=True))])
    monkeypatch.setattr(lease, "current", lambda output: next(before, None) or current(output))
    with pytest.raises(InputError, match=r"another winnow is running in .*: process 9 of"), held(run, of()):
        pass
    assert storage.list_names(run) == [".lease-00000003"]


def test_a_lease_that_goes_while_it_is_read_is_not_the_newest(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(run, 2, of(8).content())
    before = iter([[".lease-00000001"]])
    names = storage.list_names
    monkeypatch.setattr(storage, "list_names", lambda uri: next(before, None) or names(uri))
    epoch, newest = current(run)
    assert newest is not None
    assert (epoch, newest.holder.pid) == (2, 8)


def test_a_lease_of_a_process_that_died_on_this_machine_is_taken_over_at_once(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "STALE", 3600.0)
    leave(run, 1, Claim.of(replace(of().holder, pid=2**22 + 1)).content())  # a pid that Linux never gives
    with held(run, of()):
        assert current(run)[0] == 2


@pytest.mark.parametrize("place", ["memory", "s3"])
def test_of_two_that_take_over_one_does(
    run: str, place: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place == "s3":
        request.getfixturevalue("store")
        run = "s3://bucket/run"
    monkeypatch.setattr(lease, "RENEW", 3600.0)  # a renewal would see the patch below
    with held(run, of(7)), monkeypatch.context() as patched:
        patched.setattr(lease, "current", lambda output: (0, None))  # as both saw it
        with pytest.raises(InputError, match="another winnow is running"), held(run, of(8)):
            pass
    _, newest = current(run)
    assert newest is not None
    assert (newest.holder.pid, newest.released) == (7, True)


def test_a_driver_that_lost_its_lease_changes_no_byte(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It slept: its thread did not renew, and another came."""
    monkeypatch.setattr(lease, "RENEW", 3600.0)
    with held(run, of(7)):
        storage.write_bytes(f"{run}/run.json", b"before")
        monkeypatch.setattr(lease, "_now", lambda: time.clock_gettime(time.CLOCK_BOOTTIME) + 3600)
        leave(run, 2, of(8).content())
        for change in (
            lambda: storage.write_bytes(f"{run}/run.json", b"after"),
            lambda: storage.replace_bytes(f"{run}/run.json", b"after"),
            lambda: storage.delete_file(f"{run}/run.json"),
            lambda: storage.delete_folder(run),
            lambda: storage.move_file(f"{run}/run.json", f"{run}/other"),
        ):
            with pytest.raises(StageError, match="was taken over by process 8 of"):
                change()
        storage.write_bytes("memory://another/file", b"")
    assert storage.read_bytes(f"{run}/run.json") == b"before"
    assert storage.list_names(run) == [".lease-00000001", ".lease-00000002", "run.json"]
    _, newest = current(run)
    assert newest is not None
    assert (newest.holder.pid, newest.released) == (8, False)


def test_a_driver_that_slept_while_it_renewed_asks_again(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "RENEW", 3600.0)
    slept = [3600.0]
    monkeypatch.setattr(lease, "_now", lambda: time.clock_gettime(time.CLOCK_BOOTTIME) + sum(slept))

    def sleeps(output: str) -> tuple[int, Claim | None]:
        answer = current(output)
        if len(slept) == 2:
            slept.append(3600.0)
            leave(run, 2, of(8).content())
        return answer

    with held(run, of(7)):
        monkeypatch.setattr(lease, "current", sleeps)
        slept.append(3600.0)
        storage.write_bytes(f"{run}/run.json", b"before")  # the store still named this driver
        with pytest.raises(StageError, match="was taken over by process 8 of"):
            storage.write_bytes(f"{run}/run.json", b"after")


def test_a_lease_is_renewed_while_it_is_held(run: str) -> None:
    with held(run, of()):
        deadline = time.monotonic() + 10
        while (now := current(run)[1]) is not None and now.renewals < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
