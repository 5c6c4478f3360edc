"""Fitting word counts: the same bytes for any cut of the text, rare words left out, settings that cannot be refused."""

import random

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.fit.unigrams import Unigrams
from curation.models.ngram.unigrams import parse
from tests.support import learned

TEXTS = ["the cat and the dog", None, "", "The bird, the sea and the cat"]


def test_words_that_occur_once_are_only_counted_together() -> None:
    found = parse(learned(Unigrams(), [pa.array(TEXTS, pa.large_string())]))
    assert sorted(found.counts.tolist()) == [2, 2, 5]  # cat, and, the
    assert found.unlisted == 3  # dog, bird, sea


def test_the_bytes_do_not_depend_on_how_the_text_is_cut_or_in_which_order_it_comes() -> None:
    array = pa.array([*TEXTS, *(f"{word} and" for word in "abcdefgh")] * 20, pa.large_string())
    whole = learned(Unigrams(min_count=1), [array])
    for seed in range(3):
        cuts = sorted(random.Random(seed).sample(range(1, len(array)), 5))
        parts = [array.slice(a, b - a) for a, b in zip([0, *cuts], [*cuts, len(array)], strict=True)]
        random.Random(seed).shuffle(parts)
        assert learned(Unigrams(min_count=1), parts) == whole


def test_no_more_words_than_asked_for() -> None:
    found = parse(learned(Unigrams(max_words=1), [pa.array(TEXTS)]))
    assert found.counts.tolist() == [5]
    assert found.unlisted == 7


@pytest.mark.parametrize("texts", [[], [pa.array(["", None], pa.string())], [pa.array(["all words differ"])]])
def test_a_text_without_frequent_words_teaches_nothing(texts: list[pa.Array]) -> None:
    with pytest.raises(InputError, match="no word occurs 2 times in the text to learn from; lower min_count"):
        learned(Unigrams(), texts)


@pytest.mark.parametrize("options", [{"max_words": 0}, {"min_count": 0}, {"sample_bytes": 0}])
def test_settings_that_cannot_be(options: dict[str, int]) -> None:
    with pytest.raises(RecipeError, match="of 1 or more"):
        Unigrams(**options)
