"""A file is replaced whole or stays; checksums are those of the bytes."""

import hashlib
from pathlib import Path

import pytest

from curation.engine.takedown import replacing as module
from curation.engine.takedown.replacing import checksum_of, pieces, replacing


def test_what_is_written_beside_takes_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with replacing(str(path)) as beside:
        Path(beside).write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert [one.name for one in tmp_path.iterdir()] == ["a.bin"]


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def write_half() -> None:
        with replacing(str(path)) as beside:
            Path(beside).write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_bytes() == b"old"


def test_checksums_of_long_and_empty_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 4)
    for content in (b"", b"1234", b"123456789"):
        (tmp_path / "f").write_bytes(content)
        assert b"".join(pieces(str(tmp_path / "f"))) == content
        assert checksum_of(str(tmp_path / "f")) == hashlib.blake2b(content, digest_size=32).hexdigest()
