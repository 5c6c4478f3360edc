"""Packages come from their folders, which do not become part of the search path."""

import sys
from pathlib import Path

import pytest

from curation.extract.sandbox.start import load


@pytest.mark.parametrize(
    ("file", "package"),
    [("some_package/__init__.py", "some_package"), ("some_module.py", "some_module")],
    ids=["package", "module"],
)
def test_a_package_comes_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, package: str
) -> None:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("here = __file__\n")
    load(package, str(tmp_path))
    assert sys.modules[package].here == str(tmp_path / file)
    assert str(tmp_path) not in sys.path


def test_a_package_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=f"no package absent in {tmp_path}"):
        load("absent", str(tmp_path))
