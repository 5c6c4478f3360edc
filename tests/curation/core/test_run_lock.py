"""A folder is held by one run at a time, which it names, and is free again afterwards."""

import errno
import fcntl
import getpass
import os
import pickle
import socket
import subprocess
import sys
import threading
from pathlib import Path
from uuid import uuid4

import pytest

from curation.core.errors import InputError, StageError
from curation.core.run_lock import check_claim, holder, only_run


def test_a_second_run_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    with only_run(str(tmp_path / "run")):
        with pytest.raises(InputError, match="another winnow is running in"), only_run(str(tmp_path / "run")):
            pass
        with only_run(str(tmp_path / "other")):
            pass
    with only_run(str(tmp_path / "run")):
        pass


def test_a_file_uri_is_the_same_folder(tmp_path: Path) -> None:
    with (
        only_run(str(tmp_path / "run")),
        pytest.raises(InputError, match="another winnow"),
        only_run(f"file://{tmp_path}/run"),
    ):
        pass


def test_the_second_run_is_told_of_the_first(tmp_path: Path) -> None:
    own = f"process {os.getpid()} of {getpass.getuser()} on {socket.gethostname()}, since 20"
    with only_run(str(tmp_path)), pytest.raises(InputError, match=own), only_run(str(tmp_path)):
        pass


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_without_locks_is_no_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(handle: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.raises(InputError, match="is on a file system without locks") as raised, only_run(str(tmp_path)):
        pass
    assert "another winnow" not in str(raised.value)
    assert holder(str(tmp_path)) == (None, None)


def test_the_holder_is_seen_from_outside(tmp_path: Path) -> None:
    assert holder(str(tmp_path)) == (None, False)
    with only_run(str(tmp_path)):
        named, held = holder(str(tmp_path))
        assert named is not None
        assert (named.pid, named.host, held) == (os.getpid(), socket.gethostname(), True)
    assert holder(str(tmp_path)) == (None, False)
    with pytest.raises(KeyError), only_run(str(tmp_path)):
        raise KeyError
    assert holder(str(tmp_path)) == (None, False)


def test_a_killed_holder_leaves_its_name_and_no_lock(tmp_path: Path) -> None:
    script = (
        "import os, signal; from curation.core.run_lock import only_run\n"
        f"with only_run({str(tmp_path)!r}): os.kill(os.getpid(), signal.SIGKILL)"
    )
    process = subprocess.Popen([sys.executable, "-c", script])
    assert process.wait() == -9
    named, held = holder(str(tmp_path))
    assert named is not None
    assert (named.pid, held) == (process.pid, False)
    with only_run(str(tmp_path)):
        pass


def test_a_look_at_the_lock_refuses_nobody(tmp_path: Path) -> None:
    with only_run(str(tmp_path)):
        pass
    look = os.open(tmp_path / ".lock", os.O_RDONLY)
    fcntl.flock(look, fcntl.LOCK_SH)
    threading.Timer(0.2, os.close, [look]).start()
    with only_run(str(tmp_path)) as claim:
        check_claim(str(tmp_path), claim)
        named, held = holder(str(tmp_path))
    assert named is not None
    assert (named.pid, held) == (os.getpid(), True)


@pytest.mark.parametrize("place", ["disk", "store"])
def test_a_process_with_an_old_claim_is_told_of_the_new_one(tmp_path: Path, place: str) -> None:
    """Also after the second run has ended: its files are there."""
    folder = str(tmp_path) if place == "disk" else f"memory://{uuid4().hex}/run"
    with only_run(folder) as first:
        check_claim(folder, pickle.loads(pickle.dumps(first)))  # as a worker gets it
    check_claim(folder, first)  # nobody has come since
    taken_over = pytest.raises(StageError, match=f"{folder} was taken over by process {os.getpid()} ")
    with only_run(folder) as second, taken_over:
        check_claim(folder, first)
    check_claim(folder, second)
    with pytest.raises(StageError, match="was taken over"):
        check_claim(folder, first)
