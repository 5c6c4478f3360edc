"""One file, several and named ones; a component without files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from curation.core.asset_files import hashed_files
from curation.core.component import Component, Files


@dataclass(frozen=True, kw_only=True)
class Loads(Component):
    files: Files

    def assets(self) -> Mapping[str, Files]:
        return {"model": self.files}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.bin"
    path.write_bytes(b"abc")
    return str(path)


ABC = hashlib.sha256(b"abc").hexdigest()


def test_a_file_larger_than_a_block(file: str) -> None:
    content = b"abc" * (1 << 20)
    Path(file).write_bytes(content)
    assert [digest for _, _, digest in hashed_files("key", Loads(files=file))] == [hashlib.sha256(content).hexdigest()]


def test_names(file: str) -> None:
    assert list(hashed_files("key", Loads(files=file))) == [("key.model", file, ABC)]
    assert list(hashed_files("key", Loads(files=(file, file)))) == [
        ("key.model.0", file, ABC),
        ("key.model.1", file, ABC),
    ]
    assert list(hashed_files("key", Loads(files={"en": file}))) == [("key.model.en", file, ABC)]
    assert not list(hashed_files("key", Component()))
