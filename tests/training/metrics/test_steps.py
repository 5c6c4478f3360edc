"""Records of updates: tokens and time since the last one, and an end where a loss is no number."""

import pytest
import torch

from tests.training.checkpoint.models import batch
from training.config.arithmetic import step_rows
from training.config.parse import parse
from training.metrics.steps import StepRecords
from training.parallel.mesh import NotFiniteError, worker_group
from training.step import Step
from training.trainee import new_trainee

CONFIG = parse(
    {
        "model": {"decoder": {"layers": 1, "width": 16, "heads": 2, "vocabulary": 20}},
        "sequence_length": 4,
        "batch_rows": 2,
        "batch_stages": [{"steps": 1, "rows": 1}],
    }
)
ROWS = batch([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])


def test_what_a_record_holds() -> None:
    with worker_group() as worker:
        trainee = new_trainee(CONFIG, worker)
        step = Step(trainee, CONFIG, worker)
        records = StepRecords(CONFIG, trainee, worker, step_rows(CONFIG), done=0)
        update = step.run([ROWS], 1e-3, on_gradients=records.measure)
        record = records.record(3, update, waited=0.0)
    assert (record["kind"], record["step"], record["tokens"]) == ("step", 3, (1 + 2 + 2) * 4)
    assert record["loss"] == float(update.loss)
    assert record["norms"].keys() == {"embedding", "hidden", "norm"}
    assert record["norms"]["hidden"]["update"] > 0
    assert record["mfu"] is None


def test_a_loss_that_is_no_number_ends_the_run_and_names_its_step() -> None:
    broken = batch([1, 2, 3, 4, 5])
    broken.weights[0, 0] = torch.nan
    with worker_group() as worker:
        trainee = new_trainee(CONFIG, worker)
        step = Step(trainee, CONFIG, worker)
        records = StepRecords(CONFIG, trainee, worker, step_rows(CONFIG), done=7)
        step.run([ROWS], 1e-3)
        step.run([broken], 1e-3)
        update = step.run([ROWS], 1e-3, on_gradients=records.measure)
        with pytest.raises(NotFiniteError, match="is not finite at step 9; lower the optimizer's learning_rate"):
            records.record(10, update, waited=0.0)
