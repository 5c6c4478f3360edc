"""Files on disk and behind fsspec: globs, listing, reading, writing, deleting."""

import hashlib
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import list_files


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


def test_a_checksum(root: str) -> None:
    uri = storage.join(root, "new.bin")
    with pytest.raises(InputError, match="no file at"):
        storage.sha256(uri)
    storage.write_bytes(uri, b"abc")
    assert storage.sha256(uri) == hashlib.sha256(b"abc").hexdigest()


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


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "card.md"
    path.write_bytes(b"old")
    monkeypatch.setattr(storage, "beside_of", lambda uri: f"{uri}.beside")
    (tmp_path / "card.md.beside").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"No space left on device: '.*/card\.md'"):
        storage.replace_bytes(str(path), b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["card.md"]


def test_what_is_no_file_is_written_to_and_a_link_stays(tmp_path: Path) -> None:
    storage.replace_bytes("/dev/null", b"new")
    assert Path("/dev/null").is_char_device()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to("folder/a")
    storage.replace_bytes(str(tmp_path / "link"), b"new")
    assert (tmp_path / "folder" / "a").read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_replaced_in_a_store_behind_fsspec() -> None:
    storage.make_folder("memory://replaced")
    for content in (b"first", b"second"):
        storage.replace_bytes("memory://replaced/a.json", content)
        assert storage.read_bytes("memory://replaced/a.json") == content
    assert storage.list_names("memory://replaced") == ["a.json"]


def test_a_full_disk_is_told_with_the_file() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        storage.write_bytes("/dev/full", b"x" * 100_000)


def test_text_of_a_person_has_a_bound_and_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("name: é")
    assert storage.read_text(str(tmp_path / "a.yaml")) == "name: é"
    (tmp_path / "a.yaml").write_bytes(b"name: \xe9")
    with pytest.raises(InputError, match=r"a\.yaml is not UTF-8 text: .*0xe9"):
        storage.read_text(str(tmp_path / "a.yaml"))
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(storage.MAX_TEXT + 1)
    with pytest.raises(InputError, match=r"large\.yaml has more than 10 MiB; name many inputs by a pattern"):
        storage.read_text(str(tmp_path / "large.yaml"))


def test_a_path_of_megabytes() -> None:
    storage.resolve("a" * 65_536)
    with pytest.raises(InputError, match=r"^a path of 65,537 characters, which begins 'aaa.*'; give a shorter one$"):
        storage.resolve("a" * 65_537)
