"""A unit's files are replaced whole and before its commit; checksums are those of the bytes."""

import hashlib
from functools import partial
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.manifest import Commit, write_json
from curation.engine.run.steps import COMMITS, commit_path, committed
from curation.engine.takedown import replacing as module
from curation.engine.takedown.replacing import checksum_of, pieces, replace_unit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Unit 3 of a stage, with two files."""
    (tmp_path / COMMITS).mkdir()
    for name in ("a.bin", "b.bin"):
        (tmp_path / name).write_bytes(b"old")
    write_json(commit_path(str(tmp_path), 3), Commit(3, (), extra={"files": {}}))
    return tmp_path


def write(target: str, content: bytes) -> int:
    return Path(target).write_bytes(content)


def recommit(sizes: dict[str, int]) -> Commit:
    return Commit(3, (), extra={"files": {name: {"bytes": size} for name, size in sizes.items()}})


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_and_then_the_commit_are_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved, move = [], storage.move_file
    monkeypatch.setattr(storage, "move_file", lambda source, to: (moved.append(Path(to).name), move(source, to)))
    writes = {"b.bin": partial(write, content=b"newer"), "a.bin": partial(write, content=b"new")}
    commit = replace_unit(str(folder), writes, recommit)
    assert [(folder / name).read_bytes() for name in ("a.bin", "b.bin")] == [b"new", b"newer"]
    assert commit.extra["files"] == {"b.bin": {"bytes": 5}, "a.bin": {"bytes": 3}}
    assert committed(str(folder), 3) == commit
    assert moved == ["b.bin", "a.bin", "unit-00003.json"]
    assert names(folder) == [COMMITS, "a.bin", "b.bin"]


def test_an_error_leaves_the_old_files(folder: Path) -> None:
    def fail(target: str) -> int:
        Path(target).write_bytes(b"half")
        raise RuntimeError

    before = committed(str(folder), 3)
    with pytest.raises(RuntimeError):
        replace_unit(str(folder), {"a.bin": partial(write, content=b"new"), "b.bin": fail}, recommit)
    assert [(folder / name).read_bytes() for name in ("a.bin", "b.bin")] == [b"old", b"old"]
    assert committed(str(folder), 3) == before


def test_checksums_of_long_and_empty_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 4)
    for content in (b"", b"1234", b"123456789"):
        (tmp_path / "f").write_bytes(content)
        assert b"".join(pieces(str(tmp_path / "f"))) == content
        assert checksum_of(str(tmp_path / "f")) == hashlib.blake2b(content, digest_size=32).hexdigest()
