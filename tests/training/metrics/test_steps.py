"""Records of updates: tokens and time since the last one, and an end where a loss is no number."""

from dataclasses import replace

import pytest
import torch

from tests.training.checkpoint.models import batch
from training.config.parse import parse
from training.metrics.flops import row_flops
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
TOKENS = (0, 4, 12, 20, *range(28, 124, 8)).__getitem__  # of so many steps
ROWS = batch([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])


def test_what_a_record_holds() -> None:
    with worker_group() as worker:
        trainee = new_trainee(CONFIG, worker)
        step = Step(trainee, CONFIG, worker)
        records = StepRecords(CONFIG, trainee, worker, "runs/a", TOKENS, done=0)
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
        records = StepRecords(CONFIG, trainee, worker, "runs/a", TOKENS, done=7)
        step.run([ROWS], 1e-3)
        step.run([broken], 1e-3)
        update = step.run([ROWS], 1e-3, on_gradients=records.measure)
        command = "`winnow train CONFIG optimizer.learning_rate=0.0015 --from runs/a --output NEW`"  # half of the rate
        with pytest.raises(NotFiniteError, match=f"is not finite at step 9; lower the optimizer's .*: {command}, or"):
            records.record(10, update, waited=0.0)


def test_the_share_of_the_peak_is_of_one_device(monkeypatch: pytest.MonkeyPatch) -> None:
    with worker_group() as worker:
        monkeypatch.setattr("training.metrics.steps.peak_flops", lambda _: 1e12)
        trainee = new_trainee(CONFIG, worker)
        step = Step(trainee, CONFIG, worker)
        records = StepRecords(CONFIG, trainee, replace(worker, world_size=2), "runs/a", TOKENS, done=0)
        record = records.record(3, step.run([ROWS], 1e-3, on_gradients=records.measure), waited=0.0)
    shape = CONFIG.objective.shape(4)
    for name, halved in (("mfu", False), ("mfu_causal", True)):
        flops = row_flops(trainee.whole, shape, halved=halved) / 4  # of a token
        assert record[name] == pytest.approx(record["tokens_per_second"] * flops / 1e12 / 2)
