"""Spreads of a stage's signals by language, what they propose, and the histograms drawn of them."""

from pathlib import Path
from typing import Any

import pytest

from curation.account.tune.limits import bounds_by_limit, rule_sets
from curation.account.tune.signals import columns_for
from curation.account.tune.spreads import LEAST, Spreads, histogram, proposed, read_spreads
from tests.curation.account.corpus import curate, rows

WORDS = "gopher_quality.words"
LABEL = "language.label"


@pytest.fixture
def looked(corpus: Path) -> tuple[Spreads, dict[str, list[int]]]:
    """Spreads of words and labels in the gopher stage, and the words themselves by language."""
    run = curate(corpus)
    stage = run.stage("gopher")
    spreads = read_spreads(stage, columns_for(stage.schema, rule_sets(run, stage)), [WORDS, LABEL])
    table = rows(run, "gopher")
    words: dict[str, list[int]] = {}
    for language, quality in zip(table["language"].to_pylist(), table["gopher_quality"].to_pylist(), strict=True):
        words.setdefault(language["label"], []).append(quality["words"])
    return spreads, words


def test_documents_by_language(looked: tuple[Spreads, dict[str, list[int]]]) -> None:
    spreads, words = looked
    assert spreads.documents == {language: len(own) for language, own in words.items()}
    assert set(spreads.known_languages()) == {language for language, own in words.items() if len(own) >= LEAST}
    assert spreads.values(LABEL, None) == {language: len(own) for language, own in words.items()}
    assert spreads.values(LABEL, "de") == {"de": len(words["de"])}


def test_limits_by_a_quantile_keep_that_share_of_each_language(
    corpus: Path, looked: tuple[Spreads, dict[str, list[int]]]
) -> None:
    spreads, words = looked
    run = curate(corpus)
    sets = {"gopher_quality": rule_sets(run, run.stage("gopher"))["gopher_quality"]}
    for signal in {f"gopher_quality.{rule.signal}" for rule in sets["gopher_quality"].rules()}:
        spreads.numbers.setdefault(signal, spreads.numbers[WORDS])  # only words are looked at here
    changes = proposed(sets, spreads, quantile=0.9, sigma=None, by_language=True)["gopher_quality"]
    every = [count for own in words.values() for count in own]
    for name, own in (("", every), ("by_language.de.", words["de"])):
        low = changes[f"{name}min_words"]
        high = changes[f"{name}max_words"]
        assert sum(count >= low for count in own) >= 0.9 * len(own) > sum(count > low for count in own)
        assert sum(count <= high for count in own) >= 0.9 * len(own) > sum(count < high for count in own)


def test_a_histogram_has_the_limits_of_its_language(looked: tuple[Spreads, dict[str, list[int]]]) -> None:
    spreads, words = looked
    before = bounds_by_limit([])
    after: dict[str, dict[str, Any]] = {f"{WORDS}:low": {"*": 50, "de": 30}, f"{WORDS}:high": {"*": 400, "de": None}}
    german, every = (histogram(spreads, WORDS, language, before, after) for language in ("de", None))
    assert (german.before, german.after) == ({}, {"low": 30})
    assert every.after == {"low": 50, "high": 400}
    counts = [count for own in words.values() for count in own]
    assert sum(one.documents for one in every.bins if one.high <= 50) == sum(count < 50 for count in counts)
    assert sum(one.documents for one in german.bins if one.high <= 30) == sum(count < 30 for count in words["de"])
    assert german.documents == len(words["de"])
    assert german.unmeasured == 0
    assert german.quantiles["0.5"] == sorted(words["de"])[(len(words["de"]) + 1) // 2 - 1]


def test_a_histogram_of_texts_counts_each(looked: tuple[Spreads, dict[str, list[int]]]) -> None:
    figure = histogram(looked[0], LABEL, None, {}, {f"{LABEL}:not_in": {"*": ("en",)}})
    assert figure.values == looked[0].values(LABEL, None)
    assert figure.after == {"not_in": ("en",)}
    assert figure.bins == ()
