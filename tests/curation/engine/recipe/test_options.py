"""Options beside a verb at their limits, and the meaning of what a dedup method adds."""

import pytest

from curation.core.dedup_methods import COLUMNS
from curation.engine.recipe.options import MEANINGS, DedupOptions


def test_a_source_has_its_own_limit_or_that_of_all() -> None:
    options = DedupOptions(max_removed={"source": 0.6, "books": 0.1})
    assert [options.allowed(name) for name in ("web", "books")] == [0.6, 0.1]
    assert DedupOptions().allowed("web") == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_removed": {"web": 1.1}}, "max_removed is a fraction of a source's documents, 0 to 1; web has 1.1"),
        ({"local_links": -1}, "local_links must be 0 or more"),
        ({"keep": {"best": "x"}}, "keep knows no 'best'"),
        ({"expect_kept": (0.9, 0.1)}, r"expect_kept must be \[low, high\]"),
        ({"expect_kept": (0.0, 1.1)}, r"got \[0.0, 1.1\]"),
        ({"max_errors": 1.01}, "a fraction of the rows"),
        ({"max_failed_units": -1}, "a number of units, 0 or more, got -1"),
        ({"max_failed_inputs": -1}, "a number of input files, 0 or more, got -1"),
        ({"max_failed_rows": 1.01}, "a fraction of a file's rows, 0 to 1, got 1.01"),
        ({"max_failed_rows": -0.01}, "a fraction of a file's rows, 0 to 1, got -0.01"),
        ({"name": "my stage"}, "becomes part of a folder"),
    ],
)
def test_impossible_values(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DedupOptions(**options)  # type: ignore[arg-type]


def test_every_field_has_a_meaning() -> None:
    assert {name for fields in COLUMNS.values() for name in fields} == set(MEANINGS)
