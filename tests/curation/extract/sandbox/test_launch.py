"""A child process has nothing of the caller's on its search path, and nothing but replies is taken for one."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from curation.core.errors import StageError
from curation.extract.sandbox import parent
from tests.curation.extract.sandbox.test_parent import parsing, run


@pytest.fixture(autouse=True)
def _no_child() -> Iterator[None]:
    parent.close()
    yield
    parent.close()


def test_no_file_of_the_folder_that_somebody_works_in_is_taken_for_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the search path, where Ray puts that folder, nor by PYTHONPATH, where it does so in a job."""
    for name in ("nt", "resource", "lxml", "curation", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("print('not a reply')\nraise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "here", str(tmp_path), "/some/libraries"]))
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    monkeypatch.setattr(parent, "START_SECONDS", 10.0)
    assert run("one") == (["text ONE"], [])
    (found,), _ = run("page", parser=parsing(parser="surroundings"))
    folder, *path = str(found).splitlines()
    assert folder == "/"
    assert "/some/libraries" in path
    assert not {"", "here", str(tmp_path), str(Path(__file__).parents[4])} & set(path)


def test_a_child_that_ends_at_once_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os\nprint('not a reply', flush=True)\nos._exit(3)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(StageError, match="does not start: it ended at once"):
        run("one")
