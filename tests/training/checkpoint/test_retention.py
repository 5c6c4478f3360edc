"""The oldest checkpoints go first, and those that are newer than what is trained now."""

import errno
import os
from pathlib import Path

import pytest

from curation.core import storage
from training.checkpoint.manifest import MANIFEST, complete_steps, folder_of
from training.checkpoint.retention import prune


def leave(output: Path, *steps: int) -> None:
    for step in steps:
        folder = Path(folder_of(str(output), step))
        folder.mkdir(parents=True)
        (folder / "rank-00000.safetensors").touch()
        (folder / MANIFEST).touch()


def names(output: Path) -> list[str]:
    return sorted(path.name for path in (output / "checkpoints").iterdir())


def test_only_complete_checkpoints_count_and_the_newest_are_kept(tmp_path: Path) -> None:
    leave(tmp_path, 5, 10, 20, 100)
    Path(folder_of(str(tmp_path), 20), MANIFEST).unlink()
    assert complete_steps(str(tmp_path)) == [5, 10, 100]
    prune(str(tmp_path), 2, 100)
    assert names(tmp_path) == ["step_10", "step_100"]


def test_every_so_many_steps_one_stays(tmp_path: Path) -> None:
    leave(tmp_path, 10, 15, 20, 25, 30)
    Path(folder_of(str(tmp_path), 20), MANIFEST).unlink()
    prune(str(tmp_path), 1, 25, 10)
    assert names(tmp_path) == ["step_10", "step_25"]


def test_newer_ones_that_were_passed_over_do_not_push_out_what_is_whole(tmp_path: Path) -> None:
    leave(tmp_path, 5, 10, 20)
    prune(str(tmp_path), 1, 10)
    assert names(tmp_path) == ["step_10"]


def test_a_folder_that_cannot_be_deleted_yet_does_not_end_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS, while another process reads one of its files."""
    leave(tmp_path, 5, 10)

    def busy(uri: str) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), uri)

    with monkeypatch.context() as patched:
        patched.setattr(storage, "delete_folder", busy)
        prune(str(tmp_path), 1, 10)
    assert complete_steps(str(tmp_path)) == [10]
    prune(str(tmp_path), 1, 10)
    assert names(tmp_path) == ["step_10"]
