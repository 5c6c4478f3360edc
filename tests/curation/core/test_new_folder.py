"""A folder of new files: there when all of them are, and nothing of it after a failure."""

from pathlib import Path

import pytest

from curation.core import storage
from curation.core.errors import UserError
from curation.core.new_folder import new_folder


def test_it_is_there_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    with new_folder(str(target)) as folder:
        storage.write_bytes(f"{folder}/x", b"1")
        assert not target.exists()
    assert [path.name for path in target.iterdir()] == ["x"]
    assert [path.name for path in target.parent.iterdir()] == ["b"]
    assert target.stat().st_mode & 0o777 == 0o755


def test_an_empty_folder_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with new_folder(str(tmp_path / "out")) as folder:
        storage.write_bytes(f"{folder}/x", b"1")
    assert (tmp_path / "out" / "x").read_bytes() == b"1"


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> None:
        with new_folder(str(tmp_path / "out")) as folder:
            storage.write_bytes(f"{folder}/x", b"1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["full", "file"])
def test_what_is_there_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"{name} exists already; remove it"), new_folder(str(tmp_path / name)):
        raise AssertionError("nothing is written")


def test_a_store_holds_the_files_at_once() -> None:
    storage.write_bytes("memory://new/out/.hidden", b"")
    with new_folder("memory://new/out") as folder:
        assert folder == "memory://new/out"
        storage.write_bytes(f"{folder}/x", b"1")
    with pytest.raises(UserError, match="exists already"), new_folder("memory://new/out"):
        raise AssertionError("nothing is written")
