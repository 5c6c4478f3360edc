"""The words for how sure a guess is."""

from typing import get_args

from curation.core.file_start import SURENESS, FileStart, Guess, Sureness


def test_each_word_has_its_meaning() -> None:
    assert tuple(SURENESS) == get_args(Sureness)
    assert len(set(SURENESS.values())) == len(SURENESS)


def test_a_guess_needs_nothing_unless_it_says_so() -> None:
    guess = Guess(kind="log", sure="likely", seen="its lines")
    assert (guess.options, guess.needs, guess.instead, guess.gives) == ({}, {}, "", "")
    assert FileStart(path="x").members == ()
