"""Files whose names are not UTF-8: they are listed, found by globs and read; nothing is written under such names."""

import os
from pathlib import Path

import pytest

from curation.core import storage
from curation.core.errors import InputError
from curation.core.input_files import list_files, unchanged


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """caf\\xe9/n\\xe4.txt, caf\\xe9/plain.txt, and a.txt beside them."""
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(odd)  # noqa: PTH102  # of bytes
    for name in (b"n\xe4.txt", b"plain.txt"):
        with open(odd + b"/" + name, "wb") as file:  # noqa: PTH123
            file.write(name)
    (tmp_path / "a.txt").write_text("a")
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        pytest.param("", ["a.txt", r"caf\xe9/n\xe4.txt", r"caf\xe9/plain.txt"], id="folder above"),
        pytest.param(r"caf\xe9", [r"caf\xe9/n\xe4.txt", r"caf\xe9/plain.txt"], id="folder itself"),
        pytest.param(r"caf\xe9/n\xe4.txt", [r"caf\xe9/n\xe4.txt"], id="file"),
        pytest.param("caf*/n*.txt", [r"caf\xe9/n\xe4.txt"], id="glob"),
        pytest.param(r"caf\xe9/*.txt", [r"caf\xe9/n\xe4.txt", r"caf\xe9/plain.txt"], id="glob in the folder"),
        pytest.param("**/n*", [r"caf\xe9/n\xe4.txt"], id="two stars"),
    ],
)
def test_files_are_found(folder: Path, pattern: str, names: list[str]) -> None:
    found = list_files(f"{folder}/{pattern}".rstrip("/"))
    assert [file.path.removeprefix(f"{folder}/") for file in found] == names


def test_a_file_is_read_and_its_change_is_seen(folder: Path) -> None:
    (file,) = list_files(rf"{folder}/caf\xe9/n\xe4.txt")
    assert storage.read_bytes(file.path) == b"n\xe4.txt"
    assert unchanged(file.path, file.size, file.stamp, file.modified)
    storage.local_path(file.path).write_bytes(b"other66")
    assert not unchanged(file.path, file.size, file.stamp, file.modified - 1)


def test_the_current_folder_may_have_such_a_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(storage.local_path(rf"{folder}/caf\xe9"))
    assert [file.path for file in list_files("plain.txt")] == [rf"{folder}/caf\xe9/plain.txt"]
    assert storage.real("plain.txt") == rf"{folder}/caf\xe9/plain.txt"
    with pytest.raises(InputError, match=r"caf\\xe9/out is not UTF-8, and nothing is written to such a folder"):
        storage.make_folder("out")


def test_a_link_to_a_folder_above_ends(folder: Path) -> None:
    storage.local_path(rf"{folder}/caf\xe9/loop").symlink_to(folder)
    assert len(list_files(str(folder))) == 3


def test_what_is_not_there(folder: Path) -> None:
    assert not storage.exists(rf"{folder}/none\xe9")
    with pytest.raises(InputError, match="no file at"):
        storage.read_bytes(rf"{folder}/none\xe9")
    with pytest.raises(OSError, match="nothing is written"):
        storage.write_bytes(rf"{folder}/none\xe9", b"")
