"""Comparisons from Python: runs opened or by path, both models, and their options."""

from pathlib import Path

import pytest

from curation.core.errors import UserError
from pipelines import api
from tests.curation.account.compare.texts import noise, style, write
from tests.curation.account.conftest import corpus as corpus
from tests.curation.account.conftest import written as written
from tests.curation.account.corpus import curate


def test_a_run_is_compared_with_a_file(corpus: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "noise.jsonl", noise(1, 200))
    heldout = Path(write(tmp_path / "clean.jsonl", style(2, 20)))
    run = curate(corpus)
    found = api.compare([run, f"other={other}"], [heldout], vocabulary=300, seeds=2, points=1)
    assert [(one.name, one.path) for one in found.runs] == [("run", run.folder), ("other", other)]
    assert found.model == "ngram"
    assert len(found.results) == 4  # two runs, one kind and the mean


def test_options_are_those_of_the_comparison(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    with pytest.raises(UserError, match="points is 0; give 1 or more"):
        api.compare(files, files, points=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'point'"):
        api.compare(files, files, point=1)
