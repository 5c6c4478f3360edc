"""A folder of the user's own: made once, for nobody else, and refused where it is somebody else's or a link."""

import tempfile
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.own_folder import own_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_it_is_made_once(tmp_path: Path) -> None:
    folder = own_folder("stacks")
    assert folder.parent == tmp_path
    assert folder.name.startswith("winnow-stacks-")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert own_folder("stacks") == folder


def test_a_link_and_a_folder_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = own_folder("stacks")
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(InputError, match=r"winnow-stacks-.* belongs to somebody else; set TMPDIR"):
        own_folder("stacks")
    monkeypatch.setattr("os.getuid", lambda: 12345)
    (tmp_path / "winnow-stacks-12345").mkdir()
    with pytest.raises(InputError, match="winnow-stacks-12345 belongs to somebody else"):
        own_folder("stacks")
