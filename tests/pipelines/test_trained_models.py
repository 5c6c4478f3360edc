"""Trained models from Python."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from pipelines.api import evaluate, release
from tests.training.evaluate.trained_runs import trained


def test_a_trained_model_is_judged(tmp_path: Path) -> None:
    model = trained(tmp_path)
    found = evaluate(model, checkpoints=True, rows=4)
    assert [one["step"] for one in found] == [3, 6, 8]
    assert found[0]["losses"]["validation"]["all"]["rows"] == 4
    (moved,) = evaluate(model, data=(tmp_path / "data").rename(tmp_path / "moved"), rows=4)
    assert moved["losses"] == found[-1]["losses"]


def test_what_is_no_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a training nor one of its checkpoints"):
        evaluate(tmp_path)
    with pytest.raises(InputError, match="neither a training nor one of its checkpoints"):
        release(tmp_path, tmp_path / "out", samples=3)
