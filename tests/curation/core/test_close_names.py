"""The closest of known names, and what a message says where none is close."""

import pytest

from curation.core.close_names import COMPARED, LISTED, close_names, nearest


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("min_word", "; did you mean 'min_words'?"),
        ("zzz", "; known: max_words, min_words"),
        ("min_words" + "x" * 3_000_000, "; known: max_words, min_words"),
        ("", "; known: max_words, min_words"),
    ],
)
def test_hints(word: str, hint: str) -> None:
    assert nearest(word, ["min_words", "max_words"]) == hint
    assert nearest(word, []) == ""


def test_the_closest_come_first() -> None:
    assert close_names("mit", ["MIT", "mit-0", "apache", "mit-modern"], 3) == ["mit-0"]
    assert close_names("mitt", ["apache", "mit"], cutoff=0.0) == ["mit"]


def test_names_of_which_the_beginnings_are_alike_count_once() -> None:
    assert close_names("a" * 200, ["a" * 150, "a" * 300]) == ["a" * 150]


def test_of_very_many_names_those_beside_the_word_are_compared() -> None:
    names = [f"{number:07d}" for number in range(20 * COMPARED)]
    assert close_names("0050000x", names) == ["0050000"]


def test_a_list_of_known_names_has_an_end() -> None:
    hint = nearest("zzzzzz", [f"column{number}" for number in range(100_000)])
    assert hint.startswith("; known: column0, column1, column10, ")
    assert len(hint) == LISTED + len("; known: ") + 1
