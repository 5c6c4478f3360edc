"""Rae et al. 2021: each rule at its limit, and one step past it."""

from typing import Any

import pytest

from curation.core.errors import RecipeError
from curation.filters.gopher_quality import GopherQuality, Variant
from tests.support import documents, table, verdict

PROSE = "people have to read the large book and be kind " * 10  # 100 words, breaks no rule
LINE = PROSE + "\n"


@table(
    ("text", "reason"),
    {
        "50 words": ("the and " * 25, None),
        "49 words": ("the and " * 24 + "the", "words:low"),
        "100,000 words": ("the and " * 50_000, None),
        "100,001 words": ("the and " * 50_000 + "the", "words:high"),
        "2 characters a word": ("to of be " * 30, "mean_word_length:low"),
        "16 characters a word": ("the and " + "incomprehensible " * 60, "mean_word_length:high"),
        "10 hashes in 101 words": (PROSE + "#" * 10, None),
        "11 hashes in 101 words": (PROSE + "#" * 11, "hashes_per_word:high"),
        "11 ellipses in 111 words": ("… " * 11 + PROSE, None),
        "12 ellipses in 112 words": ("… ... " * 6 + PROSE, "ellipses_per_word:high"),
        "9 bullets in 10 lines": ("- people read\n" * 9 + LINE, None),
        "21 bullets in 22 lines": ("- people\n* read\n• books\n" * 7 + LINE, "bullet_lines:high"),
        "3 ellipses in 10 lines": (LINE * 7 + "people...\n" * 3, None),
        "4 ellipses in 10 lines": (LINE * 6 + "people… \n" * 4, "ellipsis_lines:high"),
        "4 of 5 words alphabetic": ("the and book kind 1914 " * 20, None),
        "3 of 5 words alphabetic": ("the and book 1914 1918 " * 20, "alphabetic_words:low"),
        "2 stop words, upper case": ("THE AND BOOK KIND " * 20, None),
        "1 stop word, often": ("the book kind read " * 20, "stop_words:low"),
        "7 characters in 3 words": ("the and a " * 30, "mean_word_length:low"),
        "3 characters a word": ("the and two " * 30, None),
        "505 characters in 60 words": ("the and " * 10 + "abcdefghijkl " * 35 + "abcde " * 5, None),
        "665 in 62 words": ("the and " + "abcdefghij" * 1 + " abcdefghijk" * 59, "mean_word_length:high"),
    },
)
def test_limit(text: str, reason: str | None) -> None:
    assert verdict(GopherQuality(), text) == reason


def test_changing_a_limit_changes_the_verdict_not_the_measure() -> None:
    short = documents("the and " * 10)
    assert verdict(GopherQuality(min_words=20), "the and " * 10) is None
    assert GopherQuality(min_words=20).measure(short) == GopherQuality().measure(short)


# Of the ten words of this text, "-", "*" and "…" are only punctuation; its lines are three, with the blank ones five.
MIXED = "  - Ünï #1 …\n\n* the end...\n12 THE\u3000be\n"


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        pytest.param(
            "paper",
            {
                "words": 10,
                "mean_word_length": (1 + 3 + 2 + 1 + 1 + 3 + 6 + 2 + 3 + 2) / 10,
                "hashes_per_word": 0.1,
                "ellipses_per_word": 0.2,
                "bullet_lines": 2 / 3,
                "ellipsis_lines": 2 / 3,
                "alphabetic_words": 0.5,
                "stop_words": 2,
            },
            id="paper",
        ),
        pytest.param(
            "datatrove",
            {
                "words": 7,
                "mean_word_length": (3 + 2 + 3 + 6 + 2 + 3 + 2) / 7,
                "hashes_per_word": 0.1,
                "ellipses_per_word": 0.2,
                "bullet_lines": 1 / 4,  # no asterisk, and the blank line counts
                "ellipsis_lines": 2 / 4,
                "alphabetic_words": 0.5,
                "stop_words": 2,  # not the one in capitals
            },
            id="datatrove",
        ),
        pytest.param(
            "dolma",
            {
                "words": 10,
                "median_word_length": 2,
                "symbols_per_word": 0.2,  # the words #1 and …
                "bullet_lines": 1 / 5,  # not the one after spaces
                "ellipsis_lines": 1 / 5,
                "alphabetic_words": 0.5,
                "stop_words": 2,
            },
            id="dolma",
        ),
        pytest.param(
            "dclm",
            {
                "words": 6,  # not the one that begins with a hash
                "mean_word_length": 2.4,
                "symbols_per_word": 0.3,
                "bullet_lines": 2 / 3,
                "ellipsis_lines": 2 / 3,
                "alphabetic_words": 0.5,
                "stop_words": 3,  # one of them again, in capitals
            },
            id="dclm",
        ),
    ],
)
def test_measures_by_hand(variant: Variant, expected: dict[str, float]) -> None:
    measured = GopherQuality(variant=variant).measure(documents("the", MIXED))
    assert {name: values[1].as_py() for name, values in measured.items()} == pytest.approx(expected)


@table(
    ("variant", "text", "reason"),
    {
        "datatrove: 50 words beside punctuation": ("datatrove", "the and " * 25 + "- * " * 6, None),
        "datatrove: 49 of them": ("datatrove", "the and - " * 24 + "the", "words:low"),
        "datatrove: any line break counts": ("datatrove", "• people read\u2028" * 9 + PROSE, None),
        "datatrove: an asterisk is no bullet": ("datatrove", "* the people have to read and be\n" * 20, None),
        "datatrove: capitals": ("datatrove", "THE AND OF TO BE people " * 20, "stop_words:low"),
        "dolma: median 9.5": ("dolma", "the and " + "a " * 24 + "incomprehensible " * 26, None),
        "dolma: one more long word, median 16": (
            "dolma",
            "the and " + "a " * 24 + "incomprehensible " * 27,
            "median_word_length:high",
        ),
        "dolma: 8 of 80 words with symbols": ("dolma", "the of be read " * 18 + "###… " * 8, None),
        "dolma: 9 of 81": ("dolma", "the of be read " * 18 + "###… " * 9, "symbols_per_word:high"),
        "dolma: one stop word twice": ("dolma", "the " * 2 + "people " * 48, None),
        "dolma: one stop word once": ("dolma", "the " + "people " * 49, "stop_words:low"),
        "dclm: 10 symbols in 120 words": ("dclm", PROSE + "# … " * 5 + "people " * 10, None),
        "dclm: 14 symbols in 114 words": ("dclm", PROSE + "# … " * 7, "symbols_per_word:high"),
        "dclm: 49 words that begin with a letter": ("dclm", "the and #x " * 24 + "the", "words:low"),
    },
)
def test_variants_at_their_limits(variant: Variant, text: str, reason: str | None) -> None:
    assert verdict(GopherQuality(variant=variant), text) == reason


def test_a_limit_of_its_own_for_a_language() -> None:
    rules = GopherQuality(by_language={"de": {"max_mean_word_length": 14}, "zh": {"min_words": 0}}).rules()
    lengths = [(rule.at_most, rule.only, rule.but) for rule in rules if rule.signal == "mean_word_length"]
    assert lengths == [(10.0, None, ("de",)), (14.0, ("de",), ())]


def test_stop_words_of_its_own_for_a_language() -> None:
    rules = GopherQuality(stop_words=("kai", "to"), by_language={"de": {"stop_words": ["der", "und"]}})
    german = "der Hund und die Katze laufen " * 20
    assert verdict(rules, german, language={"label": "de"}) is None
    assert verdict(rules, german, language={"label": "fr"}) == "stop_words:low"
    batch = documents("und und", "to und", "KAI to und", language=[{"label": "de"}, {"label": "de"}, {"label": None}])
    assert rules.measure(batch)["stop_words"].to_pylist() == [1, 1, 2]
    every = GopherQuality(variant="dclm", by_language={"de": {"stop_words": ["der", "und"]}})
    assert every.measure(batch)["stop_words"].to_pylist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"stop_words": ("in der",)}, "stop_words: 'in der' is not one word", id="two words"),
        pytest.param({"stop_words": ("",)}, "stop_words: '' is not one word", id="none"),
        pytest.param({"stop_words": ("der",)}, "min_stop_words 2 is above the number of stop_words, 1", id="too few"),
    ],
)
def test_stop_words_that_are_none(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        GopherQuality(**options)
    with pytest.raises(RecipeError, match=message):
        GopherQuality(by_language={"de": options})


def test_words_without_blanks() -> None:
    text = "他们说的是从前的事。" * 20
    assert verdict(GopherQuality(), text) == "words:low"
    assert verdict(GopherQuality(words="segments", min_mean_word_length=1, min_stop_words=0), text) is None
    assert GopherQuality(words="segments").libraries == ("icu4py",)
    assert GopherQuality().libraries == ()
