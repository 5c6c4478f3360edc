"""A model that does not fit into memory is not asked; one whose losses are needed is refused."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from pipelines.release.loading import free_memory, loaded_if_it_fits
from tests.training.runs import TINY, counting_run
from training.config.parse import parse
from training.evaluate.trained import TrainedRun
from training.start import train

GIB = 1 << 30


def test_where_a_model_fits(tmp_path: Path) -> None:
    train(parse({**TINY, "steps": 3}), str(counting_run(tmp_path / "run")), str(tmp_path / "model"))
    run = TrainedRun.of(str(tmp_path / "model"))
    shape = run.shape()
    lines: list[str] = []
    size = sum(parameter.numel() for parameter in shape.parameters()) * 4
    assert loaded_if_it_fits(run, shape, GIB, needed=False, wanted=False, on_step=lines.append) is None
    assert not lines
    assert loaded_if_it_fits(run, shape, size, needed=False, wanted=True, on_step=lines.append) is None
    assert "GiB are free: it is not asked for personal data" in lines[0]
    with pytest.raises(InputError, match="the losses of these weights were never measured; release the last"):
        loaded_if_it_fits(run, shape, size, needed=True, wanted=True, on_step=lines.append)
    loaded = loaded_if_it_fits(run, shape, 2 * size, needed=True, wanted=False, on_step=lines.append)
    assert loaded is not None
    assert not next(loaded.parameters()).is_meta
    assert free_memory() > size
