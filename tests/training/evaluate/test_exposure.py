"""Teacher-forced and free-running losses by their definition; a model that ignores its context has no bias."""

from pathlib import Path

import numpy as np
import pytest

from curation.core.errors import InputError
from tests.training.evaluate.test_generate import MODEL, next_logits
from tests.training.evaluate.trained_runs import trained
from tests.training.models.made import SMALL, VOCABULARY, model_of
from training.data.check import prepare
from training.evaluate.causal import causal_network
from training.evaluate.exposure import exposure_bias, whole_rows
from training.evaluate.generate import generate
from training.evaluate.trained import TrainedRun
from training.models.decoder import Decoder

ROWS = np.random.default_rng(2).integers(0, VOCABULARY, (3, 11))


def test_by_definition() -> None:
    found = exposure_bias(MODEL, ROWS, seed=4)
    assert (found.rows, found.prompt, len(found.free_running)) == (3, 5, 6)
    drawn = generate(MODEL, ROWS[:, :5].tolist(), 6, temperature=1.0, seed=4)
    for at in range(6):
        forced = [-next_logits(row[: 5 + at].tolist()).log_softmax(0)[row[5 + at]] for row in ROWS]
        free = [
            -next_logits([*row[:5].tolist(), *own[:at]]).log_softmax(0)[row[5 + at]]
            for row, own in zip(ROWS, drawn, strict=True)
        ]
        assert found.teacher_forced[at] == pytest.approx(float(sum(forced)) / 3, abs=1e-4)
        assert found.free_running[at] == pytest.approx(float(sum(free)) / 3, abs=1e-4)
    assert found.teacher_forced[0] == pytest.approx(found.free_running[0])
    assert found.excess == pytest.approx(np.mean(found.free_running) - np.mean(found.teacher_forced))


def test_without_context_there_is_no_bias() -> None:
    model = causal_network(model_of(Decoder(**SMALL, initial_deviation=1e-6)))
    found = exposure_bias(model, ROWS)
    assert found.excess == pytest.approx(0, abs=1e-5)
    assert found.free_running == pytest.approx([np.log(VOCABULARY)] * 6, abs=1e-4)


def test_rows_are_whole_ones_of_the_validation_split(tmp_path: Path) -> None:
    run = TrainedRun.of(str(trained(tmp_path)))
    prepared = prepare(run.config, run.data, 1)
    rows = whole_rows(prepared, 3)
    assert rows.shape == (3, 17)
    assert np.array_equal(rows[0], prepared.data.read_validation(0, 1).tokens[0])
    with pytest.raises(InputError, match="no validation row is without padding"):
        whole_rows(prepared, 0)
