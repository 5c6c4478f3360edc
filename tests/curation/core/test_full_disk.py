"""Which disk is full, in one line."""

import errno
from pathlib import Path

import pytest

from curation.core.full_disk import os_error_line


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


@pytest.mark.parametrize("file", [pytest.param(None, id="without a name"), pytest.param("tmp/winnow-1", id="there")])
def test_a_full_folder_of_temporary_files(file: str | None, tmp_path: Path) -> None:
    name = (str(tmp_path / file),) if file else ()
    line = os_error_line(OSError(errno.ENOSPC, "No space left on device", *name))
    assert line.startswith(f"TMPDIR {tmp_path / 'tmp'} is full (")
    assert line.endswith(" left now); free space there, or set TMPDIR to a folder on another disk")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/run/part"), "No space left on device: /data/run/part"),
        (OSError(errno.ENOSPC, "No space left on device", "s3://K:S@b/a"), "No space left on device: s3://***@b/a"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
        (OSError("the store said no"), "the store said no"),
    ],
)
def test_other_errors(error: OSError, line: str) -> None:
    assert os_error_line(error) == line
