"""Hidden units: whole words by hand, spans' lengths, and that no unit reaches over the end of a document."""

import numpy as np
import pytest

from tests.training.objectives.rows import END, row_of
from training.objectives.masked import Masked
from training.objectives.masking import Masking, first_words
from training.objectives.text import text_of

WORDS = Masking(probability=0.5, unit="words")
SPANS = Masking(probability=0.5, unit="spans")


def hidden(objective: Masking, *documents: list[int], seed: int = 0, apart: bool = True) -> list[int]:
    row = row_of(objective, [1, *documents[0]], *documents[1:], apart=apart)
    return objective.hidden(text_of(row), row, np.random.default_rng(seed))[0].tolist()


def test_whole_words_by_hand() -> None:
    # Words of 3, 1 and 2 tokens, of which 3 are hidden: of the first, what the others leave if it is drawn after them.
    found = {tuple(hidden(WORDS, [2, 3, 5, 4, 6, 7], seed=seed)) for seed in range(50)}
    assert found == {(0, 1, 2), (0, 1, 3), (3, 4, 5), (0, 4, 5)}


def test_a_word_ends_with_its_document() -> None:
    # Words of 2 tokens: 2 3, and 5 7, which has no start but a document before it. Half of the four is one of them.
    for apart in (True, False):
        found = {tuple(hidden(WORDS, [2, 3, END], [5, 7], seed=seed, apart=apart)) for seed in range(50)}
        assert found == {(0, 1), (3, 4)}
    assert {tuple(hidden(WORDS, [2, 3], [5, 7], seed=seed)) for seed in range(50)} == {(0, 1), (2, 3)}


def test_a_word_that_is_too_long_is_cut() -> None:
    assert hidden(WORDS, [2, 3, 5, 7]) == [0, 1]


def test_long_words_are_hidden_as_often_as_short_ones() -> None:
    # 50 words of 1 token and 50 of 9, of which half are hidden: 25 of each, but for the one that is cut.
    text = [token for word in range(50) for token in (100 + 20 * word, *range(102 + 20 * word, 120 + 20 * word, 2))]
    long = [token + 1 if token % 20 not in (0, 2) else token for token in text]
    shares = [sum(place % 10 == 0 for place in hidden(WORDS, long, seed=seed)) / 50 for seed in range(40)]
    assert abs(np.mean(shares) - 0.5) < 0.05  # 4 deviations of 0.08 over the root of 40


def test_lengths_of_spans() -> None:
    lengths = np.diff(first_words(1_000_000, np.random.default_rng(0)))
    assert (lengths.min(), lengths.max()) == (1, 10)
    assert abs(lengths.mean() - 3.797) < 0.016  # 3 deviations of 2.6 over the root of 263,000
    # 0.2 of all without the limit, of which 1 - 0.8 ** 10 are within it.
    assert abs((lengths == 1).mean() - 0.2 / 0.8926) < 3 * (0.224 * 0.776 / 263_000) ** 0.5


def test_spans_are_of_whole_words() -> None:
    text = [token for word in range(30) for token in (100 + 2 * word, 101 + 2 * word)]
    for seed in range(20):
        places = hidden(SPANS, text, seed=seed)
        assert len(places) == 30
        assert places[1::2] == [place + 1 for place in places[::2]]
        assert all(place % 2 == 0 for place in places[::2])


def test_spans_end_with_their_document() -> None:
    row = row_of(SPANS, [1], *([100 * number, 100 * number + 2] for number in range(1, 20)))
    places, units = SPANS.hidden(text_of(row), row, np.random.default_rng(0))
    for unit in set(units.tolist()):
        assert len({place // 2 for place in places[units == unit].tolist()}) == 1


def test_words_need_a_table() -> None:
    assert Masked().tables() == ()
    assert Masked(unit="words").tables() == Masked(unit="spans").tables() == ("begins_word",)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 3 tokens are too short: 15% of them are not one token"):
        Masked().shape(3)
    with pytest.raises(ValueError, match="probability is 1; give a number between 0 and 1"):
        Masked(probability=1)
