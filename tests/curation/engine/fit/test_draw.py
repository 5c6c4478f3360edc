"""Documents are drawn by hash up to their group's limit; where these were too few, more are."""

from pathlib import Path

import numpy as np
import pyarrow.ipc
import pytest

from curation.core.commits import Commit
from curation.engine.executor.inline import Inline
from curation.engine.executor.work import Unit
from curation.engine.fit import groups
from curation.engine.fit.draw import Chooser, DrawStep, short_of
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import Reader, portions_of
from curation.fit.sample.drawing import GROUP, HASH
from tests.curation.engine.fit.toys import KEPT, Listed, Plain
from tests.curation.engine.inputs import numbered_shards


def test_candidates_that_are_too_few_are_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = Listed(sample_by="source", sample_bytes=4_000, sample_weights={"web": 3, "books": 1})
    several = portions_of(numbered_shards(tmp_path, rows=4000, sources=("web", "books")))
    expected = learned(fit, several, Inline())
    monkeypatch.setattr(groups, "MARGIN", 0.001)
    monkeypatch.setattr(groups, "LEAST_DOCUMENTS", 0.01)
    assert learned(fit, several, Inline()) == expected


@pytest.mark.parametrize(("share", "rows"), [(1.0, len(KEPT)), (0.0, 0)])
def test_a_unit_writes_what_it_draws(tmp_path: Path, share: float, rows: int) -> None:
    (portion,) = portions_of(numbered_shards(tmp_path))
    (tmp_path / "_drawn").mkdir()
    chooser = Chooser(Reader.of(Plain()), ("all text",), (share,))
    commit = DrawStep(str(tmp_path), "_drawn", chooser, (3.0,), ranked=False).run(Unit(0, portion))
    sizes = [len(str(n)) for n in KEPT] if rows else []
    assert commit.extra["groups"] == [[rows, sum(sizes), sum(size for size in sizes if size <= 3)]]
    assert list(commit.extra["files"]) == (["_drawn/documents-00000.arrow"] if rows else [])
    if rows:
        with pyarrow.ipc.open_file(tmp_path / "_drawn" / "documents-00000.arrow") as file:
            assert file.read_all().column_names == ["text"]


def test_candidates_keep_their_groups_and_hashes(tmp_path: Path) -> None:
    (portion,) = portions_of(numbered_shards(tmp_path, sources=("web", "books")))
    reader = Reader.of(Listed(sample_by="source"))
    tables = [table for table, _ in Chooser(reader, ("books", "web"), (0.0, 0.5)).chosen(portion)]
    assert {name for table in tables for name in table.column_names} >= {GROUP, HASH, "text"}
    assert all((np.asarray(table[GROUP]) == 1).all() for table in tables)
    assert all(np.asarray(table[HASH]).max() <= 2**63 for table in tables)
    drawn = sum(table.num_rows for table in tables)
    assert 650 < drawn < 850  # of 1,500


def test_a_group_is_short_where_only_part_of_it_was_drawn_and_that_is_not_enough() -> None:
    commits = [Commit(n, (), extra={"groups": [[1, 50, 40], [1, 10, 10], [2, 80, 5], [0, 0, 0]]}) for n in range(2)]
    assert short_of(commits, [80, 80, 80, 0], [0.5, 1.0, 0.5, 0.5]) == [True, False, True, False]
    assert short_of(commits, [79, 80, 9, 0], [0.5, 1.0, 0.5, 0.5]) == [False] * 4
