"""Bounds of a git command, and what it sees of a repository."""

import os
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.sources.documents.repositories import git_process
from curation.sources.documents.repositories.git_objects import GitObjects, checked_objects
from curation.sources.documents.repositories.git_process import GitProcess, answer
from tests.curation.sources.documents.repositories.git_made import begun, committed, git, made, tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return begun(tmp_path / "repo")


def objects(folder: Path) -> GitObjects:
    return checked_objects(folder / ".git")


def test_git_that_says_nothing_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_process, "MAX_SILENCE", 0.05)
    waiting = GitProcess(objects(folder), "cat-file", "--batch")  # for a request
    with waiting, pytest.raises(InputError, match=f"git said nothing of {folder}/.git for 0.05 seconds"):
        waiting.stdout.read(1)


def test_git_that_computes_without_end_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = tree(folder, {})
    for _ in range(60):  # 2^60 folders, and no file that would be listed
        name = tree(folder, {b"a": ("40000", name), b"b": ("40000", name)})
    monkeypatch.setattr(git_process, "CPU_SECONDS", 1)
    with pytest.raises(InputError, match=f"git needs more than 1 seconds to read {folder}/.git"):
        answer(objects(folder), "ls-tree", "-r", name)


def test_memory_is_bounded_and_grows_with_the_longest_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_process, "MEMORY", 8 << 20)
    asked = f"{made(folder, 'commit', b'x' * (16 << 20))}\n".encode()
    assert answer(objects(folder), "cat-file", "--batch", given=asked)[1] == "it needs more than 8 MB of memory"
    with GitProcess(objects(folder), "cat-file", "--batch", longest=16 << 20) as process:
        process.stdin.write(asked)
        process.stdin.close()
        assert len(process.stdout.read()) > 16 << 20


def test_an_error_names_nothing_that_differs_between_runs(folder: Path) -> None:
    first, second = (answer(objects(folder), "cat-file", "blob", "a" * 40) for _ in range(2))
    assert first == second == (b"", f"fatal: git cat-file {'a' * 40}: bad file")


def test_settings_branches_and_variables_of_others_are_not_seen(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(folder, {"a.py": "1\n"})
    replaced, commit = git(folder, "rev-parse", "HEAD:a.py", "HEAD").split()
    git(folder, "replace", replaced, made(folder, "blob", b"other\n"))
    git(folder, "config", "core.bare", "no boolean")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    assert answer(objects(folder), "cat-file", "blob", f"{commit}:a.py") == (b"1\n", "")
    assert answer(objects(folder), "cat-file", "--batch", given=b"HEAD\nmain\n") == (
        b"HEAD missing\nmain missing\n",
        "",
    )
    assert os.listdir(tmp_path) == ["repo"]  # noqa: PTH208
