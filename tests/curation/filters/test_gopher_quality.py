"""Rae et al. 2021: each rule at its limit, and one step past it."""

import pytest

from curation.filters.gopher_quality import GopherQuality
from tests.support import documents, verdict

PROSE = "people have to read the large book and be kind " * 10  # 100 words, breaks no rule
LINE = PROSE + "\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("the and " * 25, None, id="50 words"),
        pytest.param("the and " * 24 + "the", "words:low", id="49 words"),
        pytest.param("the and " * 50_000, None, id="100,000 words"),
        pytest.param("the and " * 50_000 + "the", "words:high", id="100,001 words"),
        pytest.param("to of be " * 30, "mean_word_length:low", id="2 characters a word"),
        pytest.param("the and " + "incomprehensible " * 60, "mean_word_length:high", id="16 characters a word"),
        pytest.param(PROSE + "#" * 10, None, id="10 hashes in 101 words"),
        pytest.param(PROSE + "#" * 11, "hashes_per_word:high", id="11 hashes in 101 words"),
        pytest.param("… " * 11 + PROSE, None, id="11 ellipses in 111 words"),
        pytest.param("… ... " * 6 + PROSE, "ellipses_per_word:high", id="12 ellipses in 112 words"),
        pytest.param("- people read\n" * 9 + LINE, None, id="9 bullets in 10 lines"),
        pytest.param("- people\n* read\n• books\n" * 7 + LINE, "bullet_lines:high", id="21 bullets in 22 lines"),
        pytest.param(LINE * 7 + "people...\n" * 3, None, id="3 ellipses in 10 lines"),
        pytest.param(LINE * 6 + "people… \n" * 4, "ellipsis_lines:high", id="4 ellipses in 10 lines"),
        pytest.param("the and book kind 1914 " * 20, None, id="4 of 5 words alphabetic"),
        pytest.param("the and book 1914 1918 " * 20, "alphabetic_words:low", id="3 of 5 words alphabetic"),
        pytest.param("THE AND BOOK KIND " * 20, None, id="2 stop words, upper case"),
        pytest.param("the book kind read " * 20, "stop_words:low", id="1 stop word, often"),
        pytest.param("the and a " * 30, "mean_word_length:low", id="7 characters in 3 words"),
        pytest.param("the and two " * 30, None, id="3 characters a word"),
        pytest.param("the and " * 10 + "abcdefghijkl " * 35 + "abcde " * 5, None, id="505 characters in 60 words"),
        pytest.param(
            "the and " + "abcdefghij" * 1 + " abcdefghijk" * 59, "mean_word_length:high", id="665 in 62 words"
        ),
    ],
)
def test_limit(text: str, reason: str | None) -> None:
    assert verdict(GopherQuality(), text) == reason


def test_changing_a_limit_changes_the_verdict_not_the_measure() -> None:
    short = documents("the and " * 10)
    assert verdict(GopherQuality(min_words=20), "the and " * 10) is None
    assert GopherQuality(min_words=20).measure(short) == GopherQuality().measure(short)


def test_measures_by_hand() -> None:
    measured = GopherQuality().measure(documents("  - Ünï #1 …\n\n* the end...\n12 THE\u3000be\n"))
    assert {name: values[0].as_py() for name, values in measured.items()} == {
        "words": 10,
        "mean_word_length": (1 + 3 + 2 + 1 + 1 + 3 + 6 + 2 + 3 + 2) / 10,
        "hashes_per_word": 0.1,
        "ellipses_per_word": 0.2,
        "bullet_lines": 2 / 3,
        "ellipsis_lines": 2 / 3,
        "alphabetic_words": 0.5,
        "stop_words": 2,
    }


def test_an_empty_text_measures_0_throughout() -> None:
    for text in ("", None, " \n\u2028"):
        assert all(values[0].as_py() == 0 for values in GopherQuality().measure(documents(text)).values())
