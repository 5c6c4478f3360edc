"""The figures of a release are of the weights in it: of the end, of an earlier checkpoint, or of a mean."""

from pathlib import Path

import pytest

from pipelines.evaluate import Questions, evaluate, prepared_as_trained
from pipelines.release.figures import figures, layouts
from tests.training.evaluate.trained_runs import trained
from training.checkpoint.run_record import finished
from training.evaluate.average import average
from training.evaluate.trained import TrainedRun


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """8 updates of 4 rows of 16 tokens; checkpoints after 3, 6 and 8."""
    return trained(tmp_path_factory.mktemp("figures"))


def test_the_end_of_a_training(model: Path) -> None:
    run = TrainedRun.of(str(model))
    result = finished(str(model))
    assert result
    found = figures(run, result, run.load(8), prepared_as_trained(run, run.data))
    assert found == {name: value for name, value in result.items() if name != "data"}
    assert layouts(str(model)) == [{}]


@pytest.mark.parametrize("kind", ["earlier checkpoint", "mean"])
def test_other_weights_are_judged(model: Path, tmp_path: Path, kind: str) -> None:
    folder = str(model / "checkpoints/step_3")
    if kind == "mean":
        folder = str(tmp_path / "mean")
        average(TrainedRun.of(str(model)), 3, folder)
    run = TrainedRun.of(folder)
    step = run.steps[-1]
    result = finished(str(model))
    assert result
    found = figures(run, result, run.load(step), prepared_as_trained(run, run.data))
    (judged,) = evaluate(folder, Questions(losses=True))
    assert found["validation_loss"] == pytest.approx(judged["losses"]["validation"]["all"]["loss"])
    assert found["validation_loss"] != pytest.approx(result["validation_loss"])
    assert (found["steps"], found["tokens"]) == (step, step * 4 * 16)
    assert found["parameters"] == result["parameters"]
