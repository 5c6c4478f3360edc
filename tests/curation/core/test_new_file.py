"""A new file is there whole or not at all, and a late writer changes nothing."""

import hashlib
import re
from pathlib import Path
from tempfile import gettempdir

import pytest

from curation.core.new_file import NewFile, checksum_of, write_new


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_it_appears_when_it_is_published(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with NewFile(str(path)) as file:
        file.write(b"abc")
        file.write(memoryview(b"de"))
        assert not path.exists()
    assert path.read_bytes() == b"abcde"
    assert file.facts is not None
    assert (file.facts.bytes, file.facts.blake2b) == (5, hashlib.blake2b(b"abcde", digest_size=32).hexdigest())
    assert checksum_of(str(path)) == file.facts.blake2b
    assert names(tmp_path) == ["a.bin"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    file = NewFile(str(tmp_path / "a.bin"))
    file.write(b"abc")
    file.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert file.write(b"the footer of a writer that is thrown away") == 42
    assert names(tmp_path) == []


def test_what_nobody_publishes_is_taken_away(tmp_path: Path) -> None:
    file = NewFile(str(tmp_path / "a.bin"))
    file.write(b"abc")
    del file
    assert names(tmp_path) == []


def test_a_writer_that_comes_late_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    late = NewFile(str(path))
    late.write(b"same")
    write_new(str(path), b"same")
    inode = path.stat().st_ino
    assert late.publish().bytes == 4
    assert path.stat().st_ino == inode
    other = NewFile(str(path))
    other.write(b"else")
    with pytest.raises(FileExistsError, match=r"a.bin is there already with other content"):
        other.publish()
    assert path.read_bytes() == b"same"
    assert names(tmp_path) == ["a.bin"]


def test_where_there_are_no_links_it_is_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", refuse)
    path = tmp_path / "a.bin"
    write_new(str(path), b"abc")
    assert (path.read_bytes(), names(tmp_path)) == (b"abc", ["a.bin"])
    write_new(str(path), b"abc")
    with pytest.raises(FileExistsError):
        write_new(str(path), b"xyz")


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device.*a.bin"):
        write_new(str(tmp_path / "a.bin"), b"abc")
    assert names(tmp_path) == []


def test_a_disk_that_is_full_before_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = str(tmp_path / "a.bin")
    for uri, named in ((here, re.escape(here)), ("memory://new-file/full.bin", f"{re.escape(gettempdir())}/_partial")):
        file = NewFile(uri)
        file._file.close()
        file._file = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115
        with pytest.raises(OSError, match=f"No space left on device: '{named}"), file:
            file.write(b"abc")
    assert names(tmp_path) == []


def test_an_object_store_gets_one_upload() -> None:
    uri = "memory://new-file/a.bin"
    with NewFile(uri) as file:
        file.write(b"abc")
    assert checksum_of(uri) == hashlib.blake2b(b"abc", digest_size=32).hexdigest()
    write_new(uri, b"abc")
