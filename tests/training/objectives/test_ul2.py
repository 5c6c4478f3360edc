"""UL2: the size of a row, all seven denoisers, a mode for each document, and inputs and targets give the row back."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.objectives.rows import END, document, read, row_of, rows
from tests.training.objectives.test_span_corruption import rebuilt
from training.batch import ExampleShape
from training.objectives.ul2 import Ul2

OBJECTIVE = Ul2()


def test_a_row_has_places_for_the_largest() -> None:
    # 77 of 512 tokens in 26 spans leave the most, 256 in 85 spans are the most.
    assert OBJECTIVE.shape(512) == ExampleShape(inputs=512 - 77 + 26 + 2, labels=256 + 85 + 1, targets=256 + 85 + 1)
    assert len(OBJECTIVE.special(512)) == 3 + 85


def test_all_denoisers_are_as_likely() -> None:
    row = row_of(OBJECTIVE, document(1, 513, ended=False))
    modes = {number: name for name, number in row.ids.named.items() if name.startswith("mode")}
    rng = np.random.default_rng(0)
    examples = (OBJECTIVE.example(row, rng) for _ in range(2100))
    found = Counter((modes[int(one.inputs[0])], int(one.weights.sum())) for one in examples)
    assert set(found) == {
        ("mode_r", 77 + 26 + 1),
        ("mode_r", 77 + 10 + 1),
        ("mode_s", 128 + 1 + 1),
        ("mode_x", 256 + 85 + 1),
        ("mode_x", 256 + 32 + 1),
        ("mode_x", 77 + 1 + 1),
        ("mode_x", 256 + 4 + 1),
    }
    assert all(abs(count - 300) < 4 * (2100 * (1 / 7) * (6 / 7)) ** 0.5 for count in found.values())


def test_the_end_alone_by_hand() -> None:
    row = row_of(OBJECTIVE, [1, *range(10, 18)])
    mode, sentinel = (row.ids.named[name] for name in ("mode_s", "sentinel_0"))
    examples = [OBJECTIVE.example(row, np.random.default_rng(seed)) for seed in range(40)]
    one = next(example for example in examples if example.inputs[0] == mode)
    assert one.inputs[one.segments != 0].tolist() == [mode, 10, 11, 12, 13, 14, 15, sentinel, END]
    assert one.labels[one.weights != 0].tolist() == [sentinel, 16, 17, END]


def test_each_document_that_is_apart_begins_with_the_mode() -> None:
    row = row_of(OBJECTIVE, document(1, 9), document(2, 8), document(3, 8), padding=8)
    for seed in range(20):
        example = OBJECTIVE.example(row, np.random.default_rng(seed))
        left = [number for number in (1, 2, 3) if (example.segments == number).any()]  # a long span may hold a document
        firsts = [int(np.flatnonzero(example.segments == number)[0]) for number in left]
        assert len({int(example.inputs[first]) for first in firsts}) == 1
        assert int(example.inputs[firsts[0]]) in {row.ids.named[f"mode_{mode}"] for mode in "rsx"}
        together = OBJECTIVE.example(row._replace(apart=False), np.random.default_rng(seed))
        assert int((together.segments != 0).sum()) == int((example.segments != 0).sum()) - len(left) + 1


@given(st.data(), st.integers(0, 1000))
def test_inputs_and_targets_give_the_row_back(data: st.DataObject, seed: int) -> None:
    row = data.draw(rows(OBJECTIVE, 40))._replace(apart=False)
    example = OBJECTIVE.example(row, np.random.default_rng(seed))
    text = read(row)
    assert rebuilt(example)[1:] == (text if len(text) > 1 else [])


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 1 tokens are too short"):
        OBJECTIVE.shape(1)
