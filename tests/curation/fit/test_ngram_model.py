"""Fitting an n-gram model: the same file for any cut of the text, one that the filter takes, impossible settings."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.filters.perplexity import Perplexity
from curation.fit.ngram_model import NgramModel
from tests.support import documents, learned

WORDS = [a + b for a in "ba de fi go ku la me ni po ru sa te".split() for b in "n r s t l m x z ck st".split()]
WEIGHTS = [1 / place for place in range(1, len(WORDS) + 1)]  # as in natural text, most words are rare
DRAW = random.Random(1)
TEXTS = [" ".join(DRAW.choices(WORDS, WEIGHTS, k=6)) for _ in range(300)]


def array(texts: list[str]) -> pa.Array:
    return pa.array(texts, pa.large_string())


@pytest.mark.parametrize("order", [1, 3])
def test_the_file_does_not_depend_on_how_the_text_is_cut_or_in_which_order_it_comes(order: int) -> None:
    fit = NgramModel(order=order, prune=(), discounts=(0.5, 1.0, 1.5))
    whole = learned(fit, [array(TEXTS)])
    parts = [array(TEXTS[start : start + 70]) for start in range(0, len(TEXTS), 70)]
    assert learned(fit, parts) == learned(fit, parts[::-1]) == whole


def test_the_filter_reads_text_as_the_file_says_and_tells_what_is_like_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / NgramModel.asset
    fit = NgramModel(order=3, prune=(), normalization="ccnet", language="en", halves=False)
    path.write_bytes(learned(fit, [array(TEXTS)]))
    scores = Perplexity(models={"en": str(path)}).measure(
        documents(TEXTS[0].upper(), " ".join(reversed(WORDS[-30:])), language=[{"label": "en"}] * 2)
    )
    like, unlike = scores["perplexity"].to_pylist()
    assert like < 60 < 120 < unlike


@pytest.mark.parametrize("halves", [True, False])
def test_a_text_is_judged_by_the_half_that_did_not_learn_from_it(tmp_path: Path, halves: bool) -> None:
    """Copies of a text, among texts of other words, are foreign to that half; one model of everything knows them."""
    path = tmp_path / NgramModel.asset
    copied = " ".join(f"word{number}" for number in range(20))
    fit = NgramModel(order=3, discounts=(0.5, 1.0, 1.5), halves=halves)
    path.write_bytes(learned(fit, [array([*TEXTS, *[copied] * 3])]))
    found = Perplexity(models=str(path)).measure(documents(*TEXTS[:100], copied))["perplexity"].to_pylist()
    assert (found[-1] > max(found[:-1])) == halves
    assert (found[-1] < 4) == (not halves)


def test_a_half_without_text_is_told() -> None:
    with pytest.raises(InputError, match="no word in the text that the n-gram model should learn from"):
        learned(NgramModel(discounts=(0.5, 1.0, 1.5)), [array(["the only one"])])


def test_a_model_of_another_language_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NgramModel.asset
    path.write_bytes(learned(NgramModel(order=2, prune=(), language="en"), [array(TEXTS)]))
    with pytest.raises(InputError, match=r"was trained on en, not on de; give a model of that language"):
        Perplexity(models={"de": str(path)}).assets()


def test_a_text_that_gives_no_discounts_needs_them_set() -> None:
    with pytest.raises(InputError, match="no Kneser-Ney discounts can be taken from the text"):
        learned(NgramModel(order=2), [array(["one two three"])])
    whole = NgramModel(order=2, prune=(), discounts=(0.5, 1.0, 1.5), halves=False)
    assert learned(whole, [array(["one two three"])])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"order": 6}, "order is 6; it must lie between 1 and 5", id="order"),
        pytest.param({"prune": (0, 2, 1)}, "never fall", id="prune"),
        pytest.param({"discounts": (0.5,)}, r"discounts is \[0.5\]; give three", id="one discount"),
        pytest.param({"discounts": (1.5, 1, 1)}, "above 0 and at most 1, 2 and 3", id="too high a discount"),
        pytest.param({"sample_bytes": 0}, "sample_bytes is 0", id="nothing to learn from"),
    ],
)
def test_settings_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        NgramModel(**options)


def test_pieces_that_are_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.model"):
        NgramModel(pieces=str(tmp_path / "nothing.model")).assets()
