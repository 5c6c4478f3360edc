"""Documents are drawn by hash up to their group's limit; where these were too few, more are."""

from pathlib import Path

import pytest

from curation.core.commits import Commit
from curation.engine.executor.inline import Inline
from curation.engine.fit import groups
from curation.engine.fit.draw import short_of
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import portions_of
from tests.curation.engine.fit.toys import Listed
from tests.curation.engine.inputs import numbered_shards


def test_candidates_that_are_too_few_are_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = Listed(sample_by="source", sample_bytes=4_000, sample_weights={"web": 3, "books": 1})
    several = portions_of(numbered_shards(tmp_path, rows=4000, sources=("web", "books")))
    expected = learned(fit, several, Inline())
    monkeypatch.setattr(groups, "MARGIN", 0.001)
    monkeypatch.setattr(groups, "LEAST_DOCUMENTS", 0.01)
    assert learned(fit, several, Inline()) == expected


def test_a_group_is_short_where_only_part_of_it_was_drawn_and_that_is_not_enough() -> None:
    commits = [Commit(n, (), extra={"groups": [[1, 50, 40], [1, 10, 10], [2, 80, 5], [0, 0, 0]]}) for n in range(2)]
    assert short_of(commits, [80, 80, 80, 0], [0.5, 1.0, 0.5, 0.5]) == [True, False, True, False]
    assert short_of(commits, [79, 80, 9, 0], [0.5, 1.0, 0.5, 0.5]) == [False] * 4
