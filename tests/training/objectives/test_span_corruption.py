"""Span corruption: T5's sizes, a row of two tokens by hand, and inputs and targets give the row back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.training.objectives.rows import END, PADDING, VOCABULARY, document, read, row_of, rows
from training.batch import Example, ExampleShape, Row
from training.objectives.span_corruption import SpanCorruption

OBJECTIVE = SpanCorruption()


def rebuilt(example: Example) -> list[int]:
    """The text: each sentinel of the inputs replaced by what stands behind it in the labels, without the last end."""
    spans: dict[int, list[int]] = {}
    for token in example.labels[: int((example.target_segments != 0).sum())].tolist()[:-1]:
        if token >= VOCABULARY:
            spans[token] = []
            span = spans[token]
        else:
            span.append(token)
    inputs = example.inputs[example.segments != 0].tolist()[:-1]
    return [one for token in inputs for one in spans.get(token, [token])]


def test_sizes_of_the_paper() -> None:
    assert OBJECTIVE.shape(568) == ExampleShape(inputs=512, labels=114, targets=114)
    assert len(OBJECTIVE.special(568)) == 28
    example = OBJECTIVE.example(row_of(OBJECTIVE, document(1, 100), document(2, 469)), np.random.default_rng(0))
    assert (len(example.inputs), len(example.labels)) == (512, 114)
    assert (example.segments != 0).all()
    assert example.inputs[-1] == example.labels[-1] == END


def test_two_tokens_by_hand() -> None:
    row = row_of(OBJECTIVE, [50, 10, 11])
    example = OBJECTIVE.example(row, np.random.default_rng(0))
    sentinel = row.ids.named["sentinel_0"]
    assert example.inputs.tolist() == [10, sentinel, END]
    assert example.labels.tolist() == [sentinel, 11, END]
    assert example.targets is not None
    assert example.targets.tolist() == [PADDING, sentinel, 11]
    assert example.weights.tolist() == [1, 1, 1]


@given(st.data(), st.integers(0, 1000), st.sampled_from([(0.15, 3), (0.5, 3), (0.5, 1), (0.9, 8)]))
def test_inputs_and_targets_give_the_row_back(data: st.DataObject, seed: int, options: tuple[float, float]) -> None:
    objective = SpanCorruption(noise_density=options[0], mean_span_length=options[1])
    row: Row = data.draw(rows(objective, 40))
    example = objective.example(row, np.random.default_rng(seed))
    text = read(row)
    assert rebuilt(example) == (text if len(text) > 1 else [])


def test_a_row_without_text_has_no_label() -> None:
    example = OBJECTIVE.example(row_of(OBJECTIVE, padding=9), np.random.default_rng(0))
    assert not example.weights.any()
    assert not example.segments.any()


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="rows of 1 tokens are too short"):
        OBJECTIVE.shape(1)
    with pytest.raises(ValueError, match=r"noise_density is 1 and mean_span_length 3\.0"):
        SpanCorruption(noise_density=1)
    with pytest.raises(ValueError, match=r"mean_span_length 0\.5; give"):
        SpanCorruption(mean_span_length=0.5)
