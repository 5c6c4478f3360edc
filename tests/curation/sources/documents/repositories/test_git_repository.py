"""Files of git repositories at their bounds."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.protocols import ReadTally
from curation.sources.documents.repositories import repository_bounds
from curation.sources.documents.repositories.git_repository import GitRepository, check_repository
from tests.curation.sources.documents.repositories.git_made import begun, committed, git, made, tree, with_tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return begun(tmp_path / "repo")


def files(folder: Path, most: int = 1 << 20) -> tuple[list[tuple[str, bytes | None]], ReadTally]:
    tally = ReadTally()
    return [(*file,) for file in GitRepository(str(folder), "repo", "").files(lambda _: True, most, tally)], tally


def doubled(folder: Path, name: str, mode: str, times: int) -> str:
    """A tree that leads 2^times times to an object."""
    for _ in range(times):
        name = tree(folder, {b"a": (mode, name), b"b": (mode, name)})
        mode = "40000"
    return name


def test_trees_that_name_any_number_of_files_come_to_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tree(folder, doubled(folder, made(folder, "blob", b"a\n"), "100644", 60))
    monkeypatch.setattr(repository_bounds, "MAX_ENTRIES", 1000)
    with pytest.raises(InputError, match="more than 1,000 files and folders; leave it out"):
        files(folder)


def test_trees_without_files_come_to_an_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tree(folder, doubled(folder, tree(folder, {}), "40000", 60))
    monkeypatch.setattr(repository_bounds, "MAX_ENTRIES", 1000)
    with pytest.raises(InputError, match="more than 1,000 files and folders; leave it out"):
        files(folder)


def test_the_bytes_of_all_names_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blob = made(folder, "blob", b"a\n")
    with_tree(folder, tree(folder, {b"%d" % n * 100: ("100644", blob) for n in range(10, 99)}))
    assert len(files(folder)[0]) == 89
    monkeypatch.setattr(repository_bounds, "MAX_LISTING", 10_000)
    with pytest.raises(InputError, match=r"the names in .* have more than 10,000 bytes; leave it out"):
        files(folder)


def test_a_content_named_many_times_is_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    same = made(folder, "blob", b"same")
    entries = {b"a%03d" % n: ("100644", same) for n in range(600)}
    entries[b"b"] = ("100644", made(folder, "blob", b"other"))
    with_tree(folder, tree(folder, entries))
    assert len(files(folder)[0]) == 601
    monkeypatch.setattr(repository_bounds, "MAX_REPEATS", 2)
    found, tally = files(folder)
    assert found == [("a000", b"same"), ("a001", b"same"), ("a002", b"same"), ("b", b"other")]
    assert (tally.records, tally.faults) == ({"skipped.repeated": 597}, [])


def test_a_large_file_named_many_times_is_counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_tree(folder, doubled(folder, made(folder, "blob", b"x" * 2000), "100644", 3))
    monkeypatch.setattr(repository_bounds, "MAX_REPEATS", 1)
    found, tally = files(folder, most=1000)
    assert found == [("a/a/a", None), ("a/a/b", None)]
    assert tally.records == {"skipped.repeated": 6}


def test_names_that_lead_outside_or_are_long_are_counted(folder: Path) -> None:
    blob = ("100644", made(folder, "blob", b"a\n"))
    inner = tree(folder, {b"..": blob, b"x" * 5000: blob, b"y" * 1_000_000: blob, b"z": blob})
    with_tree(folder, tree(folder, {b"/etc/passwd": blob, b"a/../../b": blob, b".git": ("40000", inner)}))
    found, tally = files(folder)
    assert found == [(".git/z", b"a\n")]
    assert tally.records == {"skipped.outside": 3, "skipped.long_name": 2}


def test_an_entry_without_a_name_ends_the_list_and_is_noted(folder: Path) -> None:
    blob = ("100644", made(folder, "blob", b"a\n"))
    with_tree(folder, tree(folder, {b"a": blob, b"": blob, b"c": blob}))
    found, tally = files(folder)
    assert found == []  # git looks at the whole of a tree first
    assert [fault["error"] for fault in tally.faults] == [
        "git cannot list all files: fatal: empty filename in tree entry"
    ]


def test_a_commit_that_is_missing_is_told(tmp_path: Path) -> None:
    folder = committed(tmp_path / "repo", {"a.py": "a\n"})
    (folder / ".git" / "refs" / "heads" / "main").write_text("a" * 40)
    for reading in (check_repository, files):
        with pytest.raises(InputError, match=f"git cannot read {folder}/.git: the commit {'a' * 40} is missing"):
            reading(str(folder))  # type: ignore[arg-type]


def test_a_tag_leads_to_its_commit(tmp_path: Path) -> None:
    folder = committed(tmp_path / "repo", {"a.py": "a\n"})
    commit = git(folder, "rev-parse", "HEAD").strip()
    git(folder, "tag", "-a", "-m", "x", "v1")
    (folder / ".git" / "HEAD").write_text(git(folder, "rev-parse", "v1"))
    assert GitRepository(str(folder), "repo", "").commit == commit


def test_a_repository_of_sha256_is_read(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    git(tmp_path / "repo", "init", "-q", "--object-format=sha256")
    committed(tmp_path / "repo", {"a.py": "a\n"})
    assert files(tmp_path / "repo")[0] == [("a.py", b"a\n")]


def test_the_origin_is_read_whatever_else_is_configured(tmp_path: Path) -> None:
    folder = committed(tmp_path / "repo", {"a.py": "a\n"})
    config = folder / ".git" / "config"
    lines = "".join(f'[branch "{number}"]\n\tremote = origin\n' for number in range(5000))
    config.write_text(f'{config.read_text()}{lines}[remote "origin"]\n\turl = git@forge.example:a/b.git\n')
    assert GitRepository(str(folder), "repo", "").name == "https://forge.example/a/b"
    config.write_text("[core]\n")
    assert GitRepository(str(folder), "repo.git", "").name == "repo"
