"""The objects of a repository that git may read."""

import os
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.sources.documents.repositories import git_objects
from curation.sources.documents.repositories.git_objects import checked_objects
from tests.curation.sources.documents.repositories.git_made import begun, committed


def test_the_size_is_that_of_all_files(tmp_path: Path) -> None:
    folder = begun(tmp_path / "repo") / ".git"
    for name, size in {"12/3456": 5, "pack/a.pack": 7, "info/commit-graphs/graph-1.graph": 11}.items():
        (folder / "objects" / name).parent.mkdir(exist_ok=True)
        (folder / "objects" / name).write_bytes(b"x" * size)
    assert checked_objects(folder) == (folder / "objects", 23)


@pytest.mark.parametrize("name", ["12/3456", "12", "pack/a.pack", "info/commit-graphs", "info/packs", "any"])
def test_links_are_refused_at_every_depth(tmp_path: Path, name: str) -> None:
    folder = begun(tmp_path / "repo") / ".git"
    (folder / "objects" / name).parent.mkdir(exist_ok=True)
    (folder / "objects" / name).symlink_to(tmp_path)
    with pytest.raises(InputError, match=rf"borrows objects from another folder \(objects/{name}\)"):
        checked_objects(folder)


@pytest.mark.parametrize("name", ["12/3456", "pack/a.idx", "pack/multi-pack-index", "info/packs"])
def test_pipes_are_refused(tmp_path: Path, name: str) -> None:
    folder = begun(tmp_path / "repo") / ".git"
    (folder / "objects" / name).parent.mkdir(exist_ok=True)
    os.mkfifo(folder / "objects" / name)
    with pytest.raises(InputError, match=f"{name} is no plain file; leave this repository out"):
        checked_objects(folder)


@pytest.mark.parametrize("name", ["objects/info/alternates", "objects/info/http-alternates", "commondir"])
def test_other_folders_of_objects_are_refused(tmp_path: Path, name: str) -> None:
    folder = begun(tmp_path / "repo") / ".git"
    (folder / name).symlink_to("nowhere")
    with pytest.raises(InputError, match="borrows objects from another folder"):
        checked_objects(folder)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = committed(tmp_path / "repo", {"a.py": "a\n"}) / ".git"  # a file, a folder, a commit
    monkeypatch.setattr(git_objects, "MAX_FILES", 3)
    checked_objects(folder)
    monkeypatch.setattr(git_objects, "MAX_FILES", 2)
    with pytest.raises(InputError, match="has more than 2 files; run `git gc` in it"):
        checked_objects(folder)
