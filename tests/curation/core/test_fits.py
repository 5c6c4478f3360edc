"""What an option for examples says, and what it cannot say."""

from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.core.fits import Counts, Examples, Fit, Learns
from curation.fit.quantiles import Quantiles
from curation.fit.tokenizer import Tokenizer
from curation.fit.unigrams import Unigrams


def test_paths_and_mappings() -> None:
    assert Examples.of("a.jsonl") == Examples(files=("a.jsonl",))
    assert Examples.of(("a", "b")) == Examples(files=("a", "b"))
    examples = Examples(chain="books")
    assert Examples.of(examples) is examples


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"files": ("a",), "chain": "b"}, "files and chain are both given"),
        ({"where": "a > 1"}, "text, where and label are of files"),
        ({"chain": "b", "label": "c"}, "text, where and label are of files"),
        ({"files": ("a",), "text": ""}, "text is empty"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Examples(**options)


def test_the_kinds_of_fits() -> None:
    quantiles = Quantiles(signals=("a.b",))
    assert [isinstance(Tokenizer(), kind) for kind in (Fit, Learns, Counts)] == [True, True, False]
    assert [isinstance(Unigrams(), kind) for kind in (Fit, Learns, Counts)] == [True, False, True]
    assert (Unigrams().sample_bytes, Unigrams().sample_documents) == (1 << 30, None)
    assert (quantiles.sample_bytes, quantiles.sample_documents) == (None, 10_000_000)
    assert quantiles.examples() is None
