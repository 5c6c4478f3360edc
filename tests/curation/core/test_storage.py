"""Files on disk and behind fsspec: globs, listing, reading, writing, deleting."""

from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import list_files


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
    found = list_files(storage.join(root, pattern).rstrip("/"))
    paths = [file.path.removeprefix("memory://").lstrip("/") for file in found]
    prefix = root.removeprefix("memory://").lstrip("/")
    assert [path.removeprefix(prefix + "/") for path in paths] == names
    assert [file.size for file in found] == [len(name) for name in names]
    assert [storage.read_bytes(file.path) for file in found] == [name.encode() for name in names]


@pytest.mark.parametrize("pattern", ["none.txt", "none/*.txt", "*.none", ".git/*.none"])
def test_nothing_found_is_the_users_error(root: str, pattern: str) -> None:
    with pytest.raises(InputError, match="no input matches"):
        list_files(storage.join(root, pattern))


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


def test_a_link_to_a_folder_above_does_not_multiply_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    assert [Path(file.path).name for file in list_files(str(tmp_path))] == ["a.txt", "b.txt"]


def test_other_content_of_the_same_size_has_another_stamp() -> None:
    uri = f"memory://{uuid4().hex}/a.txt"
    storage.write_bytes(uri, b"one")
    before = list_files(uri)
    assert list_files(uri) == before
    storage.write_bytes(uri, b"two")
    assert list_files(uri) != before


def test_a_glob_lists_only_the_folders_that_it_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep" / "down").mkdir(parents=True)
    (tmp_path / "deep" / "a.txt").write_text("a")
    listed: list[tuple[str, bool]] = []
    inner = storage._listed

    def noted(fs: object, folder: str, *, recursive: bool) -> object:
        listed.append((folder, recursive))
        return inner(fs, folder, recursive=recursive)

    monkeypatch.setattr(storage, "_listed", noted)
    list_files(f"{tmp_path}/*/a.*")
    assert listed == [(str(tmp_path), False), (f"{tmp_path}/deep", False)]


def test_what_cannot_be_read_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        storage.read_bytes(str(tmp_path))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make a folder"):
        storage.make_folder(str(tmp_path / "file"))


def test_what_is_replaced_is_whole_or_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    storage.replace_bytes(str(path), b"first")
    storage.replace_bytes(str(path), b"second")
    assert path.read_bytes() == b"second"
    assert [one.name for one in tmp_path.iterdir()] == ["run.json"]

    def killed(source: str, target: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(storage, "move_file", killed)
    with pytest.raises(KeyboardInterrupt):
        storage.replace_bytes(str(path), b"third")
    assert path.read_bytes() == b"second"
    assert list_files(str(tmp_path))[0].path == str(path), "what is left beside is no input"
    assert len(list_files(str(tmp_path))) == 1


def test_replaced_in_a_store_behind_fsspec() -> None:
    storage.make_folder("memory://replaced")
    for content in (b"first", b"second"):
        storage.replace_bytes("memory://replaced/a.json", content)
        assert storage.read_bytes("memory://replaced/a.json") == content
    assert storage.list_names("memory://replaced") == ["a.json"]


def test_a_full_disk_is_told_with_the_file() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        storage.write_bytes("/dev/full", b"x" * 100_000)


@pytest.mark.parametrize("path", ["", "  ", "a\0b"])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(InputError, match="is no path; name a file or folder"):
        list_files(path)


def test_credentials_before_the_host_are_not_of_the_path() -> None:
    storage.write_bytes("memory://shared/a.txt", b"read")
    assert storage.read_bytes("memory://me:secret@shared/a.txt") == b"read"
    (found,) = list_files("memory://me:secret@shared/a.txt")
    assert storage.read_bytes(found.path) == b"read"
    with pytest.raises(InputError, match=r"^no file at memory://\*\*\*@shared/none"):
        storage.read_bytes("memory://me:secret@shared/none")
