"""A unit's files are replaced whole and before its commit; checksums are those of the bytes."""

from functools import partial
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.commits import COMMITS, Commit, group_path, write_group
from curation.engine.erase import replacing as module
from curation.engine.erase.replacing import pieces, replace_commits, replace_files
from tests.commits import commits_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Unit 3 of a stage, with two files."""
    (tmp_path / COMMITS).mkdir()
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(b"old")
    write_group(group_path(str(tmp_path), 0), [Commit(3, (), extra={"files": {}}), Commit(4, ())])
    return tmp_path


def write(target: str, content: bytes) -> int:
    return Path(target).write_bytes(content)


def recommit(sizes: dict[str, int]) -> Commit:
    return Commit(3, (), extra={"files": {name: {"bytes": size} for name, size in sizes.items()}})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_and_then_the_commit_are_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []
    move = storage.move_file
    monkeypatch.setattr(storage, "move_file", lambda source, to: (moved.append(Path(to).name), move(source, to)))
    writes = {"b.bin": partial(write, content=b"newer"), "a.bin": partial(write, content=b"new")}
    commit = replace_files(str(folder), writes, recommit)
    replace_commits(str(folder), [commit])
    assert [(folder / name).read_bytes() for name in ("a.bin", "b.bin")] == [b"new", b"newer"]
    assert commit.extra["files"] == {"b.bin": {"bytes": 5}, "a.bin": {"bytes": 3}}
    assert commits_of(folder) == {3: commit, 4: Commit(4, ())}
    assert moved == ["b.bin", "a.bin", "group-00000.arrow"]
    assert names(folder) == [COMMITS, "a.bin", "b.bin"]


def test_an_error_leaves_the_old_files(folder: Path) -> None:
    def fail(target: str) -> int:
        Path(target).write_bytes(b"half")
        raise RuntimeError

    before = commits_of(folder)
    with pytest.raises(RuntimeError):
        replace_files(str(folder), {"a.bin": partial(write, content=b"new"), "b.bin": fail}, recommit)
    assert [(folder / name).read_bytes() for name in ("a.bin", "b.bin")] == [b"old", b"old"]
    assert commits_of(folder) == before


def test_long_and_empty_files_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 4)
    for content in (b"", b"1234", b"123456789"):
        (tmp_path / "f").write_bytes(content)
        assert b"".join(pieces(str(tmp_path / "f"))) == content
