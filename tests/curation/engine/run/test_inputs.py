"""A file that is another than at the plan is refused; one that was only touched is not."""

import os
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.protocols import Piece
from curation.engine.run.inputs import check_unchanged
from curation.engine.run.unit_task import machine_fault


def test_changes_since_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x" * 5_000_000)
    (file,) = list_files(str(path))
    piece = Piece.of(file)
    check_unchanged(piece)
    os.utime(path, ns=(1, 1))
    check_unchanged(piece)
    path.write_bytes(b"x" * 4_999_999 + b"y")
    with pytest.raises(InputError, match=r"a.jsonl has changed since the run began; put the old file back"):
        check_unchanged(piece)
    path.write_bytes(b"x")
    with pytest.raises(InputError, match="has changed"):
        check_unchanged(piece)
    path.unlink()
    with pytest.raises(InputError, match="no file at"):
        check_unchanged(piece)
    check_unchanged(Piece(str(path)))  # nothing is known of it


def test_touching_a_file_leaves_its_stamp(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(os.urandom(3_000_000))
    (before,) = list_files(str(path))
    os.utime(path, ns=(1, 1))
    (after,) = list_files(str(path))
    assert (before.stamp, before.size) == (after.stamp, after.size)


def test_what_another_attempt_may_mend() -> None:
    missing, refused = InputError("gone"), InputError("slow down")
    missing.__cause__, refused.__cause__ = FileNotFoundError(), OSError(503, "Slow Down")
    assert machine_fault(missing) is None
    assert machine_fault(refused) is refused.__cause__
