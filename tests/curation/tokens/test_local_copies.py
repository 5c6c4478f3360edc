"""Token files of a store are copied once to where they can be mapped, and anew when they change."""

import tempfile
from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.local_copies import local_copy
from curation.tokens.token_files import map_file
from tests.object_store import Store
from tests.object_store import server as server
from tests.object_store import store as store


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_file_is_copied_once(store: Store) -> None:
    storage.write_bytes("s3://bucket/tokens-00000.bin", b"abc" * 1000)
    assert bytes(map_file("s3://bucket/tokens-00000.bin")) == b"abc" * 1000
    before = store.requests["GET"]
    assert Path(local_copy("s3://bucket/tokens-00000.bin")).read_bytes() == b"abc" * 1000
    assert store.requests["GET"] == before


def test_a_changed_file_is_copied_anew() -> None:
    uri = f"memory://{uuid4().hex}/tokens-00000.bin"
    storage.write_bytes(uri, b"old")
    first = local_copy(uri)
    storage.write_bytes(uri, b"newer")
    assert Path(local_copy(uri)).read_bytes() == b"newer"
    assert Path(first).read_bytes() == b"old"


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no file at memory://run/tokens-00000"):
        local_copy("memory://run/tokens-00000.bin")


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = f"memory://{uuid4().hex}/tokens-00000.bin"
    storage.write_bytes(uri, b"old")
    local_copy(uri)
    (folder,) = tmp_path.iterdir()
    monkeypatch.setattr("os.getuid", lambda: 12345)
    folder.rename(tmp_path / "winnow-tokens-12345")
    with pytest.raises(InputError, match="belongs to somebody else; set TMPDIR"):
        local_copy(uri)
