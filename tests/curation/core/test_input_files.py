"""Input files: patterns list what they should, and a file's stamp changes with its content."""

from pathlib import Path
from uuid import uuid4

import pytest

from curation.core import input_files, storage
from curation.core.errors import InputError
from curation.core.input_files import list_files


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
        pytest.param("_h*.txt", ["_hidden.txt"], id="a hidden name by a glob that begins so"),
        pytest.param("**/_h*.txt", ["_hidden.txt"], id="and behind two stars"),
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
    inner = storage.listed

    def noted(fs: object, folder: str, *, recursive: bool) -> object:
        listed.append((folder, recursive))
        return inner(fs, folder, recursive=recursive)

    monkeypatch.setattr(input_files, "listed", noted)
    list_files(f"{tmp_path}/*/a.*")
    assert listed == [(str(tmp_path), False), (f"{tmp_path}/deep", False)]


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
