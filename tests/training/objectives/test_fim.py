"""Fill in the middle: both orders by hand, the parts give the row back, and how many documents are cut."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.objectives.rows import END, document, documents, row_of
from training.batch import ExampleShape, Row
from training.objectives.fim import Fim

PSM = Fim(rate=1, spm_rate=0)
SPM = Fim(rate=1, spm_rate=1)


class Fixed:
    """Gives these draws: of a cut, its two places, and the order."""

    def __init__(self, *draws: float) -> None:
        self.draws = draws

    def random(self, shape: tuple[int, int]) -> Any:
        return np.repeat(np.array(self.draws)[:, None], shape[1], axis=1)


def moved(objective: Fim, row: Row, rng: Any) -> list[int]:
    """All tokens of the row as the objective orders them."""
    example = objective.example(row, rng)
    return [*example.inputs.tolist(), int(example.labels[-1])]


def test_both_orders_by_hand() -> None:
    row = row_of(PSM, [10, 11, 12, 13, END], [20, 21, 22, 23], padding=6)
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    rng: Any = Fixed(0.0, 0.7, 0.2, 0.5)  # of 4 tokens: from 1 to 3
    one = [prefix, 10, suffix, 13, middle, 11, 12, END]
    other = [prefix, 20, suffix, 23, middle, 21, 22]
    assert moved(PSM, row, rng) == [*one, *other]
    one = [prefix, suffix, 13, middle, 10, 11, 12, END]
    other = [prefix, suffix, 23, middle, 20, 21, 22]
    assert moved(SPM, row, rng) == [*one, *other]
    example = SPM.example(row, rng)
    assert example.segments.tolist() == [1] * 8 + [2] * 6
    assert example.weights.tolist() == [1] * 7 + [0] + [1] * 6


@pytest.mark.parametrize("objective", [PSM, SPM])
def test_what_begins_a_document_stays_in_front(objective: Fim) -> None:
    """The second document is the rest of one, the third is too short with its begin left out."""
    row = row_of(objective, [9, 10, 11, 12, 13, END], [20, 21, 22, 23], [9, 30, 31, END], padding=8)
    row = row._replace(ids=replace(row.ids, begin_of_text=9))
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    rng: Any = Fixed(0.0, 0.7, 0.2, 0.5)
    if objective is PSM:
        one = [9, prefix, 10, suffix, 13, middle, 11, 12, END]
        other = [prefix, 20, suffix, 23, middle, 21, 22]
    else:
        one = [9, prefix, suffix, 13, middle, 10, 11, 12, END]
        other = [prefix, suffix, 23, middle, 20, 21, 22]
    assert moved(objective, row, rng) == [*one, *other, 9, 30, 31, END, 1, 1]


@pytest.mark.parametrize("objective", [PSM, SPM])
@pytest.mark.parametrize("begin", [[], [9]])
def test_the_last_document_gives_its_first_tokens(objective: Fim, begin: list[int]) -> None:
    """Of 8 tokens, 3 make room for the ids: of the 5 that are left, the middle is from 1 to 4."""
    row = row_of(objective, [*begin, 10, 11, 12, 13, 14, 15, 16, 17, END])
    row = row._replace(ids=replace(row.ids, begin_of_text=9))
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    rng: Any = Fixed(0.0, 0.7, 0.2, 0.5)
    if objective is PSM:
        assert moved(PSM, row, rng) == [*begin, prefix, 13, suffix, 17, middle, 14, 15, 16, END]
    else:
        assert moved(SPM, row, rng) == [*begin, prefix, suffix, 17, middle, 13, 14, 15, 16, END]


def test_padding_gives_way_first() -> None:
    row = row_of(PSM, [10, 11, 12, 13, 14, END], padding=2)
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    rng: Any = Fixed(0.0, 0.7, 0.2, 0.5)  # of the 4 that are left, from 1 to 3
    assert moved(PSM, row, rng) == [prefix, 11, suffix, 14, middle, 12, 13, END]


def test_a_last_document_without_room_stays_as_it_is() -> None:
    row = row_of(PSM, [10, 11, 12, 13, END])
    rng: Any = Fixed(0.0, 0.7, 0.2, 0.5)
    assert moved(PSM, row, rng) == [10, 11, 12, 13, END]
    # The ids of the first push out three of the second, which would be left with too few for three parts.
    row = row_of(PSM, [10, 11, 12, 13, END], [20, 21, 22, 23, 24, 25, END])
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    assert moved(PSM, row, rng) == [prefix, 10, suffix, 13, middle, 11, 12, END, 23, 24, 25, END]
    # The second has no room at all, and the first gives one of its four tokens: the middle is from 0 to 2.
    row = row_of(PSM, [10, 11, 12, 13, END], [20, END])
    assert moved(PSM, row, rng) == [prefix, suffix, 13, middle, 11, 12, END]


@given(documents(60), st.integers(0, 1000))
def test_what_is_cut_has_its_middle_and_its_end(texts: list[list[int]], seed: int) -> None:
    row = row_of(Fim(), *texts)
    middle = row.ids.named["middle"]
    example = Fim(rate=0.8).example(row, np.random.default_rng(seed))
    tokens = moved(Fim(rate=0.8), row, np.random.default_rng(seed))
    segments = [*example.segments.tolist(), example.segments[-1]]
    for number, text in enumerate(texts, 1):
        own = [token for token, segment in zip(tokens, segments, strict=True) if segment == number]
        if row.ids.named["prefix"] in own:
            assert middle in own
            assert (own[-1] == END) == (text[-1] == END)


def test_short_documents_and_padding_stay() -> None:
    row = row_of(PSM, [10, 11, END], [20, 21], padding=3)
    assert moved(PSM, row, np.random.default_rng(0)) == row.tokens.tolist()
    row = row_of(PSM, [10, 11, 12], padding=3)
    assert row.ids.named["middle"] in moved(PSM, row, np.random.default_rng(0))


@given(documents(30), st.integers(0, 1000), st.floats(0, 1))
def test_the_parts_give_the_row_back(texts: list[list[int]], seed: int, spm_rate: float) -> None:
    objective = Fim(rate=0.7, spm_rate=spm_rate)
    row = row_of(objective, *texts, padding=3 * len(texts))
    prefix, suffix, middle = (row.ids.named[name] for name in ("prefix", "suffix", "middle"))
    example = objective.example(row, np.random.default_rng(seed))
    tokens = moved(objective, row, np.random.default_rng(seed))
    segments = np.append(example.segments, 0 if tokens[-1] == 1 else len(texts))
    for number, text in enumerate(texts, 1):
        own = [token for token, segment in zip(tokens, segments.tolist(), strict=True) if segment == number]
        if prefix in own:
            end = [END] if own[-1] == END else []
            assert own[0] == prefix
            before, behind = own.index(suffix), own.index(middle)
            body = own[behind + 1 : len(own) - len(end)]
            if before == 1:  # suffix first: the prefix stands in front of the middle
                own = [*body, *own[before + 1 : behind], *end]
            else:
                own = [*own[1:before], *body, *own[before + 1 : behind], *end]
        assert own == text


def test_half_of_the_documents_are_cut_and_half_of_these_have_the_suffix_first() -> None:
    row = row_of(Fim(), *(document(number, 8) for number in range(1, 10)), padding=30)
    prefix, suffix = row.ids.named["prefix"], row.ids.named["suffix"]
    tokens = np.concatenate([moved(Fim(), row, np.random.default_rng(seed)) for seed in range(1000)])
    cut = int((tokens == prefix).sum())
    assert abs(cut - 4500) < 3 * (9000 * 0.25) ** 0.5
    # With the suffix first the two ids are neighbours; otherwise they are if the prefix is empty. A cut has 8 * 8 ways,
    # of which in 15 the first of the two places is 0.
    neighbours = int(((tokens[:-1] == prefix) & (tokens[1:] == suffix)).sum())
    share = 0.5 + 0.5 * 15 / 64
    assert abs(neighbours - share * cut) < 3 * (cut * share * (1 - share)) ** 0.5


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 4 tokens are too short"):
        Fim().shape(4)
    assert Fim().shape(5) == ExampleShape(inputs=5, labels=5)
    with pytest.raises(ValueError, match=r"rate is 2 and spm_rate 0\.5; give numbers from 0 to 1"):
        Fim(rate=2)
