"""What every objective owes: the shape that it states, labels within their document, and draws from its generator."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core import catalog
from tests.training.objectives.rows import END, PADDING, VOCABULARY, row_of, rows
from training.batch import Example, Kind, Row
from training.config.components import OBJECTIVE, Objective
from training.config.parse import parse

LENGTH = 40
OPTIONS: dict[str, dict[str, Any]] = {"mixture": {"objectives": {"prefix_lm": {}, "masked": {}}}}
NAMES = {
    "inputs": ("inputs", "segments", "seen", "order", "detection"),
    "labels": ("labels", "weights", "places", "uniforms"),
    "targets": ("targets", "target_segments"),
}
TYPES = {"segments": np.int32, "target_segments": np.int32, "order": np.int32, "seen": np.bool_}
TYPES |= dict.fromkeys(("weights", "uniforms", "detection"), np.float32)
GIVEN = {
    Kind.PLAIN: set(),
    Kind.PREFIXED: {"seen"},
    Kind.PAIR: {"targets", "target_segments"},
    Kind.PERMUTED: {"places", "order"},
    Kind.REPLACED: {"places", "seen", "uniforms", "detection"},
}


def built(key: str) -> Objective:
    return parse({"objective": {key: OPTIONS.get(key, {})}}).objective


def arrays(example: Example) -> dict[str, Any]:
    given = {field.name: getattr(example, field.name) for field in fields(Example)}
    return {name: values for name, values in given.items() if values is not None}


OBJECTIVES = [pytest.param(built(key), id=key) for key in catalog.known(OBJECTIVE)]


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_an_example_has_the_shape_and_draws_from_its_generator_alone(
    objective: Objective, data: st.DataObject, seed: int
) -> None:
    row: Row = data.draw(rows(objective, LENGTH))
    before = row.tokens.copy(), row.segments.copy()
    found = arrays(objective.example(row, np.random.default_rng(seed)))
    again = arrays(objective.example(row, np.random.default_rng(seed)))
    assert all(np.array_equal(found[name], again[name]) for name in found)
    assert (row.tokens == before[0]).all()
    assert (row.segments == before[1]).all()
    assert GIVEN[objective.kind] <= found.keys()
    assert found.keys() & set().union(*GIVEN.values()) <= GIVEN[objective.kind] | {"places"}, "of other kinds"
    sizes = objective.shape(LENGTH)._asdict()
    for size, names in NAMES.items():
        for name in found.keys() & names:
            assert found[name].shape == (sizes[size],), name
            assert found[name].dtype == TYPES.get(name, np.int64), name
    for name in found.keys() & {"inputs", "labels", "targets"}:
        assert found[name].min() >= 0
        assert found[name].max() < row.ids.size


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_a_label_is_predicted_from_its_own_document(objective: Objective, data: st.DataObject, seed: int) -> None:
    row: Row = data.draw(rows(objective, LENGTH))
    example = objective.example(row, np.random.default_rng(seed))
    places = np.arange(len(example.labels)) if example.places is None else example.places
    pair = example.targets is not None
    segments = example.target_segments if pair else example.segments
    tokens = example.targets if pair else example.inputs
    assert segments is not None
    assert tokens is not None
    for label, weight, place in zip(example.labels, example.weights, places, strict=True):
        assert weight == 0 or segments[place] > 0
        if weight and row.apart and label not in (END, PADDING) and label < VOCABULARY:
            assert segments[place] == label // 100
        if weight and row.apart and (pair or objective.kind is Kind.PLAIN) and 100 <= tokens[place] < VOCABULARY:
            assert segments[place] == tokens[place] // 100
    if not row.apart and objective.kind is not Kind.PLAIN:
        assert set(example.segments.tolist()) <= {0, 1}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_padding_has_no_label(objective: Objective) -> None:
    example = objective.example(row_of(objective, padding=LENGTH + 1), np.random.default_rng(0))
    assert not example.weights.any()
    assert example.detection is None or not example.detection.any()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_its_file_names_its_source(objective: Objective) -> None:
    key = catalog.key_of(type(objective))
    text = catalog.source_of(OBJECTIVE, key).read_text()
    assert key == "causal" or "Source: " in text.partition('"""\n')[0]
