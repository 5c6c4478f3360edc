"""Weights of another training are taken alone, and refused if they are of other shapes."""

from pathlib import Path

import pytest
import torch

from tests.training.checkpoint.models import save, sharded, update, weights
from tests.training.runs import TINY, counting_run
from training.checkpoint.initial import begin_with
from training.config.parse import parse
from training.models.decoder import Decoder
from training.parallel.mesh import RefusedError, worker_group
from training.start import train


def test_given_weights_are_taken_and_the_rest_begins_anew(tmp_path: Path) -> None:
    with worker_group() as worker:
        trained = sharded(worker, seed=0)
        update(trained)
        folder = save(str(tmp_path), 1, trained, worker)
        for source in (str(tmp_path), folder):
            fresh = sharded(worker, seed=1)
            begin_with(source, Decoder(), fresh.model, worker)
            assert all(torch.equal(one, two) for one, two in zip(weights(fresh), weights(trained), strict=True))
            update(fresh)
            step = next(iter(fresh.optimizer.state.values()))["step"]
            assert float(step) == 1


def test_weights_of_other_shapes_are_refused(tmp_path: Path) -> None:
    run = str(counting_run(tmp_path / "run"))
    train(parse(TINY), run, str(tmp_path / "first"))
    begun = {**TINY, "init": str(tmp_path / "first")}
    result = train(parse({**begun, "steps": 3}), run, str(tmp_path / "second"))
    assert result["steps"] == 3
    wide = {**begun, "model": {"decoder": {"layers": 2, "width": 64, "heads": 4, "kv_heads": 2}}}
    with pytest.raises(RefusedError, match=r"the weights of .*first do not fit the model: \S+ is .* there and .* here"):
        train(parse(wide), run, str(tmp_path / "third"))
    with pytest.raises(RefusedError, match="neither a training nor a checkpoint"):
        train(parse({**TINY, "init": str(tmp_path)}), run, str(tmp_path / "third"))
