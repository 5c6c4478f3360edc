"""Files are replaced when all new ones are there, commits after them, manifests last; a crash leaves none half done."""

from collections.abc import Callable
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.commits import COMMITS, Commit, group_path, write_group
from curation.core.manifest import MANIFEST
from curation.engine.erase.replacing import WRITTEN, Replacement
from tests.commits import commits_of

NEW = {"01-read": {"a.bin": b"new"}, "02-last": {"a.bin": b"newer", "_keys/b.bin": b"newest"}}
COMMIT = Commit(3, (), extra={"files": {"a.bin": {"bytes": 5}}})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two stages; the second has units 3 and 4."""
    for stage in NEW:
        (tmp_path / stage / COMMITS).mkdir(parents=True)
        (tmp_path / stage / "_keys").mkdir()
        for name in ("a.bin", "_keys/b.bin", MANIFEST):
            (tmp_path / stage / name).write_bytes(b"old")
        write_group(group_path(str(tmp_path / stage), 0), [Commit(3, ()), Commit(4, ())])
    return tmp_path


def replacement(run: Path) -> Replacement:
    return Replacement(str(run / "02-last"), "_new")


def write(run: Path) -> Replacement:
    """All new files but WRITTEN."""
    made = replacement(run)
    for stage, files in NEW.items():
        folder = str(run / stage)
        for name, content in files.items():
            Path(made.path(folder, name)).write_bytes(content)
        made.put_commits(folder, [COMMIT])
        Path(made.path(folder, MANIFEST)).write_bytes(b"{}")
    Path(made.path(folder, "_partial.a.bin.xyz")).write_bytes(b"of a killed writer")
    return made


def contents(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in run.rglob("*") if path.is_file()}


def noting(moved: list[str], most: int) -> Callable[[str, str], None]:
    """Moves a file and notes where it went; raises before the move after `most`."""
    move = storage.move_file

    def wrapped(source: str, target: str) -> None:
        if len(moved) == most:
            raise KeyboardInterrupt
        moved.append(target)
        move(source, target)

    return wrapped


def test_files_then_commits_then_manifests_take_their_places(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write(run)
    moved: list[str] = []
    monkeypatch.setattr(storage, "move_file", noting(moved, 99))
    made.finish()
    names = [target.removeprefix(f"{run}/") for target in moved]
    assert sorted(names[:3]) == ["01-read/a.bin", "02-last/_keys/b.bin", "02-last/a.bin"]
    assert sorted(names[3:5]) == [f"{stage}/{COMMITS}/group-00000.arrow" for stage in NEW]
    assert names[5:] == [f"01-read/{MANIFEST}", f"02-last/{MANIFEST}"]
    found = contents(run)
    assert all(found[f"{stage}/{name}"] == new for stage, files in NEW.items() for name, new in files.items())
    assert found["01-read/_keys/b.bin"] == b"old"
    assert commits_of(run / "02-last") == {3: COMMIT, 4: Commit(4, ())}
    assert not (run / "02-last" / "_new").exists()
    assert len(found) == 8


def test_before_all_are_written_nothing_changes(run: Path) -> None:
    before = contents(run)
    made = write(run)
    assert not made.resume()
    assert before.items() <= contents(run).items()


@pytest.mark.parametrize("moves", range(7))
def test_cut_off_at_any_move_it_goes_on(run: Path, moves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write(run)
    with monkeypatch.context() as patch:
        patch.setattr(storage, "move_file", noting([], moves))
        with pytest.raises(KeyboardInterrupt):
            made.finish()
    assert (run / "02-last" / "_new" / WRITTEN).exists()
    assert replacement(run).resume()
    assert not replacement(run).resume()
    again = contents(run)
    assert {again[f"{stage}/{MANIFEST}"] for stage in NEW} == {b"{}"}
    assert (again["01-read/a.bin"], again["02-last/_keys/b.bin"], len(again)) == (b"new", b"newest", 8)
