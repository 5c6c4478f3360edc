"""A step's log: what is found done, what is done again, and that files which no commit names are taken away."""

from pathlib import Path

from curation.core import commits
from curation.core.commits import Commit, Part
from curation.engine.run import commit_log
from curation.engine.run.commit_log import CommitLog, committed_units
from tests.commits import commits_of


def made(folder: Path, unit: int, content: str = "data") -> Commit:
    (folder / f"part-{unit:05d}.parquet").write_text(content)
    return Commit(unit, (Part(f"part-{unit:05d}.parquet", "web", len(content), 1, 1),))


def parts(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.parquet"))


def test_what_was_added_is_found(tmp_path: Path) -> None:
    with CommitLog(str(tmp_path)) as log:
        for unit in (0, 2):
            log.add(made(tmp_path, unit))
    with CommitLog(str(tmp_path)) as log:
        assert list(log.commits) == [0, 2]
    assert committed_units(str(tmp_path)) == 2


def test_files_that_no_commit_names_are_deleted(tmp_path: Path) -> None:
    with CommitLog(str(tmp_path)) as log:
        log.add(made(tmp_path, 0))
    made(tmp_path, 1)
    (tmp_path / "_partial.part-00002.parquet.abc").touch()
    (tmp_path / "_tokenizer.json").touch()
    with CommitLog(str(tmp_path)):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["_commits", "_tokenizer.json", "part-00000.parquet"]


def test_a_file_of_another_size_uncommits_its_unit(tmp_path: Path) -> None:
    with CommitLog(str(tmp_path)) as log:
        for unit in range(3):
            log.add(made(tmp_path, unit))
    (tmp_path / "part-00000.parquet").unlink()
    (tmp_path / "part-00001.parquet").write_text("da")
    with CommitLog(str(tmp_path)) as log:
        assert list(log.commits) == [2]
    assert parts(tmp_path) == ["part-00002.parquet"]


def test_a_damaged_group_is_done_again(tmp_path: Path, monkeypatch: object) -> None:
    with CommitLog(str(tmp_path)) as log:
        log.add(made(tmp_path, 0))
        log.add(made(tmp_path, commit_log.GROUP_UNITS))
    (tmp_path / "_commits" / "group-00000.arrow").write_bytes(b"ARROW1")
    with CommitLog(str(tmp_path)) as log:
        assert list(log.commits) == [commit_log.GROUP_UNITS]
    assert parts(tmp_path) == [f"part-{commit_log.GROUP_UNITS:05d}.parquet"]


def test_forgotten_units_are_written_down(tmp_path: Path) -> None:
    with CommitLog(str(tmp_path)) as log:
        for unit in range(3):
            log.add(made(tmp_path, unit))
        log.forget([1, 9])
        assert list(commits_of(tmp_path)) == [0, 2]


def test_names_of_groups() -> None:
    assert commit_log.group_of(commits.group_name(3)) == 3
    assert [commit_log.group_of(name) for name in ("keys-00003.arrow", "group-3.arrow")] == [None, None]
