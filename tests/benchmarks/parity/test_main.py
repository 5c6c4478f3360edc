"""What misses the target: too many other verdicts in a rule set, or a difference without a cause."""

import pytest

from benchmarks.parity.causes import UNEXPLAINED
from benchmarks.parity.compare import Agreement, Difference
from benchmarks.parity.verdicts import missed


@pytest.mark.parametrize(
    ("name", "documents", "dropped", "different", "misses"),
    [
        pytest.param("gopher_quality", 1000, 200, 2, 0, id="1 % of the dropped"),
        pytest.param("gopher_quality", 1000, 200, 3, 1, id="more than 1 % of the dropped"),
        pytest.param("gopher_quality.words:low", 1000, 200, 3, 0, id="a single limit"),
        pytest.param("url_spellings", 1000, 200, 100, 0, id="spellings, by design"),
        pytest.param("language", 1000, 10, 5, 0, id="the same on 99.5 %"),
        pytest.param("language", 1000, 10, 6, 1, id="the same on 99.4 %"),
    ],
)
def test_shares(name: str, documents: int, dropped: int, different: int, misses: int) -> None:
    assert len(missed([Agreement(name, documents, dropped, dropped, dropped, different)])) == misses


def test_a_difference_without_a_cause() -> None:
    name = "gopher_quality.words:low"
    differences = [
        Difference(name, doc_id, "", "51", "52", verdicts_differ=False, cause=why)
        for doc_id, why in (("a", UNEXPLAINED), ("b", "known"))
    ]
    line = Agreement(name, 1000, 0, 0, 0, 0, differences=tuple(differences))
    assert missed([line]) == ["gopher_quality.words:low: 1 differences not explained"]
