"""Options beside `dedup:` at their limits."""

import pytest

from curation.engine.recipe.dedup_options import DedupOptions


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
        ({"max_errors": 2.0}, "max_errors is a fraction"),
    ],
)
def test_impossible_values(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DedupOptions(**options)  # type: ignore[arg-type]
