"""Which stages looked for what, and with which index."""

from pathlib import Path

import pytest

from curation.account.evalsets.contamination_checks import checked, indexes
from curation.account.run import Run
from curation.core.errors import InputError
from tests.curation.account.evalsets import curate


def test_the_stages_and_what_they_can_find(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path))
    (one,) = checked(run)
    assert [stage.name for stage in one.stages] == ["contamination"]
    assert dict(zip(one.index.names.to_pylist(), one.possible().tolist(), strict=True)) == {
        "sums/0": True,
        "sums/1": False,
        "places/0": True,
    }
    assert [list(index.sets) for index in indexes(run)] == [["sums", "places"]]


def test_an_index_that_was_deleted(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path))
    folder = Path(run.stage("evalsets").folder)
    (folder / "evalsets.json").unlink()
    with pytest.raises(InputError, match="evalsets"):
        checked(run)
