"""How far a run is, read from its files: while it goes on, after it was killed, stopped or finished."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs
import pytest
from fsspec.implementations.local import LocalFileSystem

from curation.account.status import StatusReader, status
from curation.core import storage
from curation.core.commits import Commit, Part, group_path, write_group
from curation.core.errors import InputError
from curation.core.manifest import RUN
from curation.core.progress import PROGRESS
from curation.core.run_lock import LOCK, only_run
from curation.core.stores import StoreHandler

BEGUN = {"stage": "dedup", "step": "attach", "done": 1, "units": 4, "documents": 10, "seconds": 60.0, "retries": 1}


def unfinished(run: Path, *, ago: float = 0.0) -> Path:
    """The run as it was while its last stage ran; its driver wrote its progress `ago` seconds ago."""
    record = json.loads((run / RUN).read_text())
    record["complete"] = False
    record["stages"].pop()
    (run / RUN).write_text(json.dumps(record))
    folder = run / "09-last-00000000"
    (folder / "_commits").mkdir(parents=True)
    part = Part("part", "web", 1, 10, 6, text_bytes=1000, dropped={"error.a.B": 3, "a.b:low": 1})
    write_group(group_path(str(folder), 0), [Commit(unit, (part,)) for unit in range(2)])
    when = (datetime.now(UTC) - timedelta(seconds=ago)).isoformat(timespec="seconds")
    kept = {
        **BEGUN,
        "commits": "09-last-00000000/_commits",
        "stages": 11,
        "pid": 7,
        "user": "me",
        "host": "node",
        "since": when,
    }
    (run / PROGRESS).write_text(json.dumps({**kept, "when": when}))
    return run


def test_a_finished_run(taken_run: Path) -> None:
    seen = status(str(taken_run))
    assert (seen.state, seen.run, seen.now, seen.holder, seen.line) == ("finished", "taken", None, None, "")
    assert [stage.name for stage in seen.sealed][:2] == ["news-read", "news-gopher_quality"]
    assert [(one.units, one.documents, one.kept) for one in seen.sealed][:2] == [(2, 16, 16), (2, 16, 15)]
    assert seen.stages == len(seen.sealed)
    assert seen.sealed[1].dropped == {"gopher_quality.words:low": 1}


def test_a_run_that_is_going_on(taken_run: Path) -> None:
    run = unfinished(taken_run, ago=30)
    with only_run(str(run)):
        seen = status(str(run))
    assert (seen.state, seen.stages) == ("running", 11)
    assert seen.holder is not None
    assert seen.now is not None
    assert (seen.now.done, seen.now.documents, seen.now.kept, seen.now.errors) == (2, 20, 12, 6)
    assert seen.now.text_bytes == 2000
    assert 89 < seen.now.seconds < 120
    assert seen.line.startswith("dedup: attach, 2 of 4 units, 0 documents/s, 0 kB/s, 60.0 % kept, 6 errors, 1 retry")
    assert seen.line.endswith(" 1 min left; 1 min so far")
    assert seen.rates is not None
    assert seen.rates["kept_percent"] == 60.0
    assert (seen.dropped, seen.newest) == ({"error.a.B": 6, "a.b:low": 2}, {})


def commit(run: Path, step: str, units: int, dropped: dict[str, int], group: int = 0) -> None:
    (run / "09-last-00000000" / step).mkdir(exist_ok=True)
    part = Part("part", "web", 1, 10, 10 - sum(dropped.values()), dropped=dropped)
    write_group(
        group_path(str(run / "09-last-00000000"), group, step), [Commit(unit, (part,)) for unit in range(units)]
    )


def test_drops_are_new_until_others_come(taken_run: Path) -> None:
    run = unfinished(taken_run)
    reader = StatusReader(str(run))
    with only_run(str(run)):
        assert reader.read().newest == {}
        commit(run, "_commits", 2, {"c.d:high": 1}, group=1)
        for _ in range(2):
            seen = reader.read()
            assert list(seen.dropped.items()) == [("error.a.B", 6), ("a.b:low", 2), ("c.d:high", 2)]
            assert seen.newest == {"c.d:high": 2}
        commit(run, "_keys", 1, {"e.f:low": 4})
        kept = json.loads((run / PROGRESS).read_text())
        (run / PROGRESS).write_text(json.dumps({**kept, "commits": "09-last-00000000/_keys"}))
        seen = reader.read()
    assert (seen.dropped, seen.newest) == ({"e.f:low": 4}, {"e.f:low": 4})


class Counted(LocalFileSystem):  # type: ignore[misc]
    """Local files as a store that counts its requests."""

    requests = 0

    def ls(self, *args: Any, **options: Any) -> Any:
        before = self.requests
        listed = super().ls(*args, **options)
        self.requests = before + 1  # without what a local listing looks up
        return listed

    def info(self, path: Any, **options: Any) -> Any:
        self.requests += 1
        return super().info(path, **options)

    def cat_file(self, *args: Any, **options: Any) -> Any:
        self.requests += 1
        return super().cat_file(*args, **options)


def test_a_second_reading_of_a_store_asks_for_what_may_have_changed_alone(
    taken_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unfinished(taken_run)
    for group in range(1, 20):
        commit(run, "_commits", 1, {"a.b:low": 1}, group)
    store = Counted()
    monkeypatch.setattr(storage, "open_store", lambda scheme, user="": pafs.PyFileSystem(StoreHandler(store)))
    storage.forget_stores()
    reader = StatusReader(f"counted://{run}")
    with only_run(f"counted://{run}"):
        asked = []
        for _ in range(3):
            store.requests = 0
            assert reader.read().state == "running"
            asked.append(store.requests)
            commit(run, "_commits", 2, {"c.d:high": 1}, group=7)
    storage.forget_stores()
    assert asked[0] > 19 + asked[1]
    assert asked[1:] == [9, 8], "one more for the group that has changed"


def test_a_run_that_was_killed(taken_run: Path) -> None:
    run = unfinished(taken_run, ago=3000)
    script = (
        "import os, signal; from curation.core.run_lock import only_run\n"
        f"with only_run({str(run)!r}): os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.Popen([sys.executable, "-c", script])
    killed.wait()
    seen = status(str(run))
    assert seen.state == "killed"
    assert seen.holder is not None
    assert seen.holder.pid == killed.pid
    assert seen.now is not None
    assert (seen.now.done, seen.now.seconds) == (2, 60.0)


@pytest.mark.parametrize("earlier", [False, True])
def test_a_run_that_stopped_names_its_failure_and_none_before_its_last_attempt(taken_run: Path, earlier: bool) -> None:
    run = unfinished(taken_run)
    heard = json.loads((run / PROGRESS).read_text())["when"]
    (run / "failure.txt").write_text(f"{'2020-01-01T00:00:00+00:00' if earlier else heard}\ngopher: unit 1 failed\n")
    seen = status(str(run))
    assert (seen.state, seen.failure) == ("stopped", None if earlier else str(run / "failure.txt"))


def test_commits_that_are_not_written_yet_take_nothing_back(taken_run: Path) -> None:
    run = unfinished(taken_run)
    kept = json.loads((run / PROGRESS).read_text())
    (run / PROGRESS).write_text(json.dumps({**kept, "done": 3, "documents": 30}))
    now = status(str(run)).now
    assert now is not None
    assert (now.done, now.documents) == (3, 30)


def test_between_two_stages(taken_run: Path) -> None:
    run = unfinished(taken_run)
    kept = json.loads((run / PROGRESS).read_text())
    (run / PROGRESS).write_text(json.dumps({**kept, "step": "done"}))
    with only_run(str(run)):
        seen = status(str(run))
    assert (seen.state, seen.now, seen.line) == ("running", None, "")


@pytest.mark.parametrize(("ago", "state"), [(100, "running"), (1000, "silent")])
def test_where_nothing_is_locked_the_last_sign_counts(
    taken_run: Path, monkeypatch: pytest.MonkeyPatch, ago: float, state: str
) -> None:
    run = unfinished(taken_run, ago=ago)
    monkeypatch.setattr("curation.account.status.holder", lambda _: (None, None))  # as in an object store
    seen = status(str(run))
    assert seen.state == state
    assert seen.holder is not None
    assert (seen.holder.pid, seen.holder.host) == (7, "node")


def test_a_run_that_is_still_being_planned(tmp_path: Path) -> None:
    with only_run(str(tmp_path / "run")):
        seen = status(str(tmp_path / "run"))
    assert (seen.state, seen.sealed, seen.now) == ("running", (), None)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run"):
        status(str(tmp_path))
    assert not (tmp_path / LOCK).exists()
