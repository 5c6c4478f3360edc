"""BART: each corruption by hand, Poisson's lengths at 30 %, and that the decoder always writes the text as it was."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.objectives.rows import END, PADDING, VOCABULARY, document, read, row_of, rows
from training.batch import ExampleShape, Row
from training.objectives.bart import Bart

NOTHING: dict[str, Any] = {"permuted_sentences": False, "infilling": 0.0}
INFILLING = Bart(permuted_sentences=False)


def inputs(objective: Bart, row: Row, seed: int = 0) -> list[int]:
    example = objective.example(row, np.random.default_rng(seed))
    return example.inputs[example.segments != 0].tolist()


def test_sizes_of_the_paper() -> None:
    # 154 of 512 tokens are in 51 spans.
    assert Bart().shape(512) == ExampleShape(inputs=409, labels=512, targets=512)
    row = row_of(Bart(), document(1, 513))
    assert len(inputs(Bart(), row)) == 409


def test_sentences_are_permuted_within_their_document() -> None:
    objective = Bart(infilling=0)
    row = row_of(objective, [1, 11, 15, 21, 25, 31, END], [201, 202, END])
    found = Counter(tuple(inputs(objective, row, seed)) for seed in range(1200))
    sentences = [(11, 15), (21, 25), (31,)]
    orders = [(a, b, c) for a in sentences for b in sentences for c in sentences if len({a, b, c}) == 3]
    assert set(found) == {(*a, *b, *c, END, 201, 202, END) for a, b, c in orders}
    assert all(abs(count - 200) < 4 * (1200 * (1 / 6) * (5 / 6)) ** 0.5 for count in found.values())


def test_rotation() -> None:
    objective = Bart(rotation=1, **NOTHING)
    row = row_of(objective, [1, 10, 11, 12, END], [20])
    found = {tuple(inputs(objective, row, seed)) for seed in range(50)}
    assert found == {(10, 11, 12, END, 20), (11, 12, 10, END, 20), (12, 10, 11, END, 20)}


def test_what_begins_a_document_stays_first() -> None:
    row = row_of(Bart(), [1, 9, 11, 15, 21, 25, END], [9, 201, 202, 205, END])
    row = row._replace(ids=replace(row.ids, begin_of_text=9))
    found = {tuple(inputs(Bart(infilling=0), row, seed)) for seed in range(50)}
    firsts = [(9, 11, 15, 21, 25, END), (9, 21, 25, 11, 15, END)]
    assert found == {(*first, 9, 201, 202, 205, END) for first in firsts}
    found = {tuple(inputs(Bart(rotation=1, **NOTHING), row, seed))[6:] for seed in range(50)}
    assert found == {(9, 201, 202, 205, END), (9, 202, 205, 201, END), (9, 205, 201, 202, END)}


def test_deletion() -> None:
    objective = Bart(deletion=0.5, **NOTHING)
    assert objective.shape(4).inputs == 2
    row = row_of(objective, [1, 10, 11, 12, 13])
    found = {tuple(inputs(objective, row, seed)) for seed in range(200)}
    assert found == {(a, b) for a in range(10, 14) for b in range(a + 1, 14)}


def test_masking() -> None:
    objective = Bart(masking=0.5, **NOTHING)
    row = row_of(objective, [1, 10, 11, 12])
    mask = row.ids.named["mask"]
    found = {tuple(inputs(objective, row, seed)) for seed in range(50)}
    assert found == {(10, mask, mask), (mask, 11, mask), (mask, mask, 12)}


def test_lengths_of_spans() -> None:
    row = row_of(INFILLING, document(1, 513, ended=False))
    mask = row.ids.named["mask"]
    lengths = []
    for seed in range(1000):
        kept = np.array([100, *inputs(INFILLING, row, seed), 613])
        at = np.flatnonzero(kept == mask)
        assert len(at) == 51
        lengths.append(kept[at + 1] - kept[at - 1] - 1)
    found = np.bincount(np.concatenate(lengths)) / 51_000
    assert found @ np.arange(len(found)) == pytest.approx(154 / 51)
    poisson = np.exp(-3.0) * np.cumprod([1, *(3 / np.arange(1, 9))])
    assert (abs(found[:9] - poisson) < 0.006).all()
    # Exactly: 154 tokens, each in one of 51 spans.
    assert abs(found[0] - (50 / 51) ** 154) < 3 * (0.047 * 0.953 / 51_000) ** 0.5


@given(st.data(), st.integers(0, 1000))
def test_what_is_read_is_of_the_text_and_what_is_written_is_the_text(data: st.DataObject, seed: int) -> None:
    objective = Bart(deletion=0.2, rotation=0.5, masking=0.1)
    row = data.draw(rows(objective, 40))
    example = objective.example(row, np.random.default_rng(seed))
    text = read(row)
    assert example.labels.tolist() == text + [PADDING] * (40 - len(text))
    tokens = [token for token in example.inputs[example.segments != 0].tolist() if token < VOCABULARY]
    assert not Counter(tokens) - Counter(text)
    documents = [token // 100 for token in tokens if token != END]
    assert documents == sorted(documents)


@given(st.integers(1, 40), st.integers(0, 1000))
def test_text_is_missing_only_where_a_mask_stands(length: int, seed: int) -> None:
    row = row_of(INFILLING, document(1, length + 1, ended=False), padding=40 - length)
    found = inputs(INFILLING, row, seed)
    assert sum(token < VOCABULARY for token in found) == length - round(0.3 * length)
    for before, token in zip([100, *found], [*found, 101 + length], strict=True):
        assert VOCABULARY in (before, token) or token == before + 1


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 1 tokens are too short"):
        Bart().shape(1)
    with pytest.raises(ValueError, match="infilling and masking are 0"):
        Bart(**NOTHING)
    with pytest.raises(ValueError, match="rotation is 2; give a number from 0 to 1"):
        Bart(rotation=2)
    with pytest.raises(ValueError, match="infilling is 1; give 0 to below 1"):
        Bart(infilling=1)
