"""Files that winnow ships by name, and those of the user by path."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from pipelines.shipped import named_file


def test_a_shipped_file_and_one_by_its_path(tmp_path: Path) -> None:
    name, text = named_file("gopher", "curate")
    assert name.endswith("pipelines/curate/gopher.yaml")
    assert text == Path(name).read_text()
    (tmp_path / "mine.yaml").write_text("name: mine")
    assert named_file(str(tmp_path / "mine.yaml"), "curate") == (str(tmp_path / "mine.yaml"), "name: mine")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"name: \xe9")
    with pytest.raises(InputError, match=r"latin.yaml is not UTF-8 text"):
        named_file(str(tmp_path / "latin.yaml"), "curate")
    with pytest.raises(InputError, match="no rubric named 'mine' is shipped"):
        named_file("mine", "rubrics")
