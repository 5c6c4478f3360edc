"""Files on disk and behind fsspec: globs, listing, reading, writing, deleting."""

from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage
from curation.core.errors import InputError


@pytest.fixture(params=["disk", "memory"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder with a few files, on disk or in fsspec's memory."""
    base = str(tmp_path) if request.param == "disk" else f"memory://{uuid4().hex}"
    for name in ("a.txt", "b.gz", "_hidden.txt", "sub/c.txt", "sub/deep/d.txt", ".git/e.txt", "sub/_tmp/f.txt"):
        uri = storage.join(base, name)
        storage.make_folder(uri.rpartition("/")[0])
        storage.write_bytes(uri, name.encode())
    return base


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        pytest.param("", ["a.txt", "b.gz", "sub/c.txt", "sub/deep/d.txt"], id="folder"),
        pytest.param("*.txt", ["a.txt"], id="star stays in its folder"),
        pytest.param("**/*.txt", ["a.txt", "sub/c.txt", "sub/deep/d.txt"], id="two stars cross folders"),
        pytest.param("sub/**", ["sub/c.txt", "sub/deep/d.txt"], id="two stars at the end"),
        pytest.param("*/c.???", ["sub/c.txt"], id="question marks"),
        pytest.param("[ab].*", ["a.txt", "b.gz"], id="brackets"),
        pytest.param("_hidden.txt", ["_hidden.txt"], id="a hidden name when asked for"),
    ],
)
def test_list_files(root: str, pattern: str, names: list[str]) -> None:
    found = storage.list_files(storage.join(root, pattern).rstrip("/"))
    paths = [file.path.removeprefix("memory://").lstrip("/") for file in found]
    prefix = root.removeprefix("memory://").lstrip("/")
    assert [path.removeprefix(prefix + "/") for path in paths] == names
    assert [file.size for file in found] == [len(name) for name in names]
    assert [storage.read_bytes(file.path) for file in found] == [name.encode() for name in names]


@pytest.mark.parametrize("pattern", ["none.txt", "none/*.txt", "*.none", ".git/*.none"])
def test_nothing_found_is_the_users_error(root: str, pattern: str) -> None:
    with pytest.raises(InputError, match="no input matches"):
        storage.list_files(storage.join(root, pattern))


def test_write_read_delete(root: str) -> None:
    uri = storage.join(root, "new.bin")
    assert (storage.exists(uri), storage.size(uri)) == (False, -1)
    with pytest.raises(InputError, match="no file at"):
        storage.read_bytes(uri)
    storage.write_bytes(uri, b"\0\1\2")
    assert (storage.exists(uri), storage.size(uri), storage.read_bytes(uri)) == (True, 3, b"\0\1\2")
    storage.write_bytes(uri, b"")
    assert (storage.size(uri), storage.read_bytes(uri)) == (0, b"")
    storage.delete_file(uri)
    storage.delete_file(uri)
    assert not storage.exists(uri)


def test_folders(root: str) -> None:
    folder = storage.join(root, "sub")
    assert storage.size(folder) == -1
    assert storage.list_names(folder) == ["_tmp", "c.txt", "deep"]
    storage.delete_folder(folder)
    storage.delete_folder(folder)
    assert storage.list_names(folder) == []
    assert not storage.exists(storage.join(folder, "c.txt"))


def test_gz_is_not_decompressed_by_its_name(root: str) -> None:
    assert storage.read_bytes(storage.join(root, "b.gz")) == b"b.gz"


def test_local_paths_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert storage.resolve("x/y")[1] == str(tmp_path / "x/y")
    assert storage.resolve(f"file://{tmp_path}/x")[1] == str(tmp_path / "x")


def test_an_unknown_scheme_is_the_users_error() -> None:
    with pytest.raises(InputError, match="nosuch://"):
        storage.resolve("nosuch://bucket/key")
