"""HEAD, branches and settings of a `.git` folder, read without git."""

import os
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.sources.documents.repositories import git_folder
from curation.sources.documents.repositories.git_folder import head_hash, settings
from tests.curation.sources.documents.repositories.git_made import begun, committed, git

HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return begun(tmp_path / "repo") / ".git"


@pytest.mark.parametrize(
    ("head", "packed", "found"),
    [
        (f"{HASH}\n", "", HASH),
        (HASH + HASH[:24], "", HASH + HASH[:24]),
        ("ref: refs/heads/main\n", "", ""),
        ("ref:refs/heads/main", f"# pack-refs with: peeled\n{HASH} refs/heads/main\n^{'a' * 40}\n", HASH),
        ("ref: refs/heads/a/b\n", f"{HASH} refs/heads/a\n{'b' * 40} refs/heads/a/b\n", "b" * 40),
        ("ref: refs/heads/main\n", f"{'x' * 5000} refs/heads/main\n{HASH} refs/heads/main\n", HASH),
    ],
    ids=["a commit", "of SHA-256", "no commit yet", "packed", "packed, in a folder", "after a long line"],
)
def test_head_leads_to_a_commit(folder: Path, head: str, packed: str, found: str) -> None:
    (folder / "HEAD").write_text(head)
    (folder / "packed-refs").write_text(packed)
    assert head_hash(folder) == found


def test_a_branch_file_comes_before_a_packed_one(tmp_path: Path) -> None:
    folder = committed(tmp_path / "repo", {"a.py": "1\n"})
    git(folder, "pack-refs", "--all")
    committed(folder, {"a.py": "2\n"})
    assert head_hash(folder / ".git") == git(folder, "rev-parse", "HEAD").strip()


def test_a_folder_left_of_deleted_branches_is_no_branch(folder: Path) -> None:
    (folder / "refs" / "heads" / "main").mkdir()
    (folder / "packed-refs").write_text(f"{HASH} refs/heads/main\n")
    assert head_hash(folder) == HASH


@pytest.mark.parametrize(
    "head",
    [
        "",
        "no hash\n",
        "ref: ../../outside\n",
        "ref: refs/../../outside\n",
        "ref: /etc/passwd\n",
        "ref: HEAD\n",
        "ref: refs/heads/\n",
        "ref: refs//main\n",
        f"{HASH}\n{HASH}\n",
        "ref: refs/heads/a\0b",
        "x" * 5000,
    ],
)
def test_a_head_that_leads_nowhere_is_refused(folder: Path, head: str) -> None:
    (folder / "HEAD").write_text(head)
    with pytest.raises(InputError, match=r"HEAD names no branch|HEAD has more than 4,096 bytes"):
        head_hash(folder)


def test_branches_that_name_each_other_are_refused(folder: Path) -> None:
    (folder / "refs" / "heads" / "main").write_text("ref: refs/heads/other\n")
    (folder / "refs" / "heads" / "other").write_text("ref: refs/heads/main\n")
    with pytest.raises(InputError, match="leads from branch to branch without end"):
        head_hash(folder)


@pytest.mark.parametrize("kind", ["pipe", "link"])
@pytest.mark.parametrize("name", ["HEAD", "refs/heads/main", "packed-refs", "config"])
def test_pipes_and_links_are_refused(folder: Path, tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / "outside").write_text(HASH)
    (folder / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match=f"{name} is no plain file; leave this repository out"):
        (settings if name == "config" else head_hash)(folder)


@pytest.mark.parametrize("name", ["refs", "refs/heads"])
def test_a_folder_of_branches_that_is_a_link_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "outside" / "heads").mkdir(parents=True)
    for file in ("main", "heads/main"):
        (tmp_path / "outside" / file).write_text(HASH)
    (folder / name).rename(tmp_path / "away")
    (folder / name).symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match="is no plain file"):
        head_hash(folder)


def test_a_reftable_is_refused(folder: Path) -> None:
    (folder / "reftable").mkdir()
    with pytest.raises(InputError, match="has a reftable; run `git refs migrate"):
        head_hash(folder)


def test_large_files_are_refused_unread(folder: Path) -> None:
    for name, size in (("packed-refs", git_folder.MAX_PACKED), ("config", git_folder.MAX_SETTINGS)):
        os.truncate(os.open(folder / name, os.O_CREAT | os.O_WRONLY), size + 1)
    with pytest.raises(InputError, match="packed-refs has more than 268,435,456 bytes"):
        head_hash(folder)
    with pytest.raises(InputError, match="config has more than 1,048,576 bytes"):
        settings(folder)
