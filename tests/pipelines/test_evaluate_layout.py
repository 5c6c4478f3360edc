"""Several processes compute the losses that one process computes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from curation.core.errors import InputError, UserError
from pipelines.evaluate import Questions, evaluate
from pipelines.evaluate_layout import EvaluationLayout, layout_of_options, losses_in_group, losses_of
from pipelines.trained_data import prepared_as_trained
from tests.training.evaluate.trained_runs import trained
from training.ending import leave
from training.evaluate.trained import TrainedRun

MODEL = {"layers": 4, "width": 32, "heads": 4, "kv_heads": 2, "tied_embeddings": False}
LAYOUTS: dict[str, dict[str, Any]] = {
    "zero 3": {"zero": 3},
    "zero 1": {"zero": 1},
    "replicate": {"replicate": 2},
    "tensor": {"tensor": 2},
    "context": {"context": 2},
    "pipeline": {"pipeline": 2},
    "interleaved": {"pipeline": 2, "schedule": "interleaved_1f1b"},
    "in a V": {"pipeline": 2, "schedule": "zbv"},
    "offload": {"offload": True},
}
ROWS = 7  # which two readers do not share evenly


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("layout"), model={"decoder": MODEL}, documents_apart=True)


def _evaluate_all(rank: int, model: str, folder: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
    run = TrainedRun.of(model)
    prepared = prepared_as_trained(run, run.data)
    for number, parallel in enumerate(LAYOUTS.values()):
        found = losses_in_group(run, prepared, [3, 8], ROWS, EvaluationLayout(workers=2, parallel=parallel))
        if rank == 0:
            Path(folder, f"{number}.json").write_text(json.dumps(found))
    leave()


def figures(losses: dict[str, Any]) -> dict[str, float]:
    """Those of each split and source."""
    named = {(split, name): one for split in ("validation", "train") for name, one in losses[split].items()}
    every = {f"{split} {name} {key}": one[key] for (split, name), one in named.items() for key in one}
    return {name: value for name, value in every.items() if value is not None}


@pytest.mark.slow
def test_every_layout_finds_what_one_process_finds(model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "model")
    first, _, last = evaluate(str(copy), Questions(losses=True, rows=ROWS), every=True)
    mp.spawn(_evaluate_all, (str(model), str(tmp_path)), nprocs=2)  # type: ignore[attr-defined, no-untyped-call]
    for number, name in enumerate(LAYOUTS):
        both = json.loads((tmp_path / f"{number}.json").read_text())
        for found, alone in zip(both, (first, last), strict=True):
            expected = figures(alone["losses"])
            assert expected["validation all rows"] == ROWS
            assert figures(found["losses"]) == pytest.approx(expected, rel=1e-5), name


@pytest.mark.slow
def test_workers_of_this_machine(model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "model")
    (alone,) = evaluate(str(copy), Questions(rows=4))
    layout = layout_of_options(2, ["tensor=2"])
    (found,) = evaluate(str(copy), Questions(rows=4), layout=layout)
    assert figures(found["losses"]) == pytest.approx(figures(alone["losses"]), rel=1e-5)
    assert json.loads((copy / "evaluations/step_8.json").read_text())["losses"] == found["losses"]


@pytest.mark.parametrize(
    ("parallel", "message"),
    [
        ({"tensor": 3}, "2 workers / \\(parallel.tensor 3\\)"),
        ({"tensor": 8}, "query.weight has 4 heads, which parallel.tensor 8 does not divide"),
        ({"pipeline": 8}, "has 8 stages, but the model has 4 layers"),
    ],
)
def test_a_layout_that_does_not_fit(model: Path, parallel: dict[str, Any], message: str) -> None:
    run = TrainedRun.of(str(model))
    workers = 8 if 8 in parallel.values() else 2
    layout = EvaluationLayout(workers=workers, parallel=parallel)
    with pytest.raises(InputError, match=message):
        losses_of(run, run.data, [8], 4, layout)


def test_what_several_workers_do_not_compute(model: Path) -> None:
    with pytest.raises(InputError, match="only losses are computed by several workers"):
        evaluate(str(model), Questions(sharpness=True), layout=EvaluationLayout(workers=2))
    with pytest.raises(InputError, match="give their number as --workers"):
        layout_of_options(None, ["tensor=2"])
    with pytest.raises(UserError, match="tensr"):
        layout_of_options(2, ["tensr=2"])
    assert layout_of_options(None, []) is None
