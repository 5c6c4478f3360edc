"""One update: the same however rows are cut, nothing of neighbours that are kept apart, and what is wrong is told."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.checkpoint.models import batch
from training.batch import Batch, Row, SpecialIds
from training.config.parse import parse
from training.config.run import TrainConfig
from training.objectives.causal import Causal
from training.optim.adamw import Adamw
from training.optim.clip import norm_of
from training.parallel.mesh import Worker, worker_group
from training.precision.scaler import LossScaler
from training.step import Step
from training.trainee import Trainee, new_trainee

CONFIG = parse(
    {
        "model": {"decoder": {"layers": 2, "width": 16, "heads": 2, "vocabulary": 20}},
        "sequence_length": 12,
        "batch_rows": 4,
    }
)
ROWS = torch.randint(0, 20, (4, 13), generator=torch.Generator().manual_seed(0)).tolist()
IDS = SpecialIds(20, 0, 1, {})


def begun(worker: Worker, config: TrainConfig = CONFIG) -> tuple[Trainee, Step]:
    trainee = new_trainee(config, worker)
    return trainee, Step(trainee, config, worker)


@pytest.mark.parametrize("count", [2, 4])
def test_micro_batches_change_nothing(count: int) -> None:
    each = 4 // count
    with worker_group() as worker:
        whole, step = begun(worker)
        first = step.run([batch(*ROWS)], 1e-2)
        cut, other = begun(worker)
        second = other.run([batch(*ROWS[at : at + each]) for at in range(0, 4, each)], 1e-2)
    assert float(second.loss) == pytest.approx(float(first.loss), abs=1e-6)
    assert float(second.norm) == pytest.approx(float(first.norm), rel=1e-5)
    for one, two in zip(whole.model.parameters(), cut.model.parameters(), strict=True):
        torch.testing.assert_close(one, two, atol=1e-5, rtol=1e-5)


def test_weights_of_labels_decide_what_is_learnt() -> None:
    """A row whose labels count nothing is as if it were not there."""
    with worker_group() as worker:
        _, step = begun(worker)
        first = step.run([batch(ROWS[0])], 1e-2)
        _, other = begun(worker)
        both = batch(ROWS[0], ROWS[1])
        both.weights[1] = 0
        second = other.run([both], 1e-2)
    assert float(second.loss) == pytest.approx(float(first.loss), abs=1e-6)
    assert float(second.norm) == pytest.approx(float(first.norm), rel=1e-5)


def test_a_documents_loss_does_not_depend_on_its_neighbours() -> None:
    document = [7, 8, 9, 3, 4, 0]

    def nats(before: list[int], model: torch.nn.Module) -> float:
        tokens = np.array([*before, *document, *[5] * (12 - len(before) - len(document)), 0], np.uint16)
        segments = np.array(
            [1] * len(before) + [2] * len(document) + [3] * (13 - len(before) - len(document)), np.int32
        )
        example = Causal().example(Row(tokens, segments, True, IDS), np.random.default_rng())
        own = Batch.of([example])
        own.weights[:, segments[1:] != 2] = 0
        assert float(own.weights.sum()) == len(document) - 1
        return float(model(own).nats)

    with worker_group() as worker, torch.no_grad():
        model = begun(worker)[0].model
        alone = nats([], model)
        assert nats([2, 3, 0], model) == pytest.approx(alone, abs=1e-6)
        assert nats([9, 9, 9, 9, 0], model) == pytest.approx(alone, abs=1e-6)


def test_what_is_not_finite_changes_no_weight_and_is_told_by_its_number() -> None:
    with worker_group() as worker:
        trainee, step = begun(worker)
        assert int(step.run([batch(*ROWS)], 1e-2).not_finite) == -1
        before = [weight.detach().clone() for weight in trainee.model.parameters()]
        broken = batch(*ROWS)
        broken.weights[0, 0] = torch.inf
        assert int(step.run([broken], 1e-2).not_finite) == 1
        moments = [moment for own in trainee.optimizer.state.values() for moment in own.values()]
        assert all(moment.isfinite().all() for moment in moments)
        assert all(torch.equal(one, two) for one, two in zip(before, trainee.model.parameters(), strict=True))
        assert int(step.run([batch(*ROWS)], 1e-2).not_finite) == 1


def test_problems_are_counted_until_they_are_asked_for() -> None:
    with worker_group() as worker:
        _, step = begun(worker)
        counts = [float(step.run([batch(*ROWS)], 1e-2, problem=problem).problems) for problem in (False, True, False)]
    assert counts == [0, 1, 1]


def test_gradients_are_measured_before_they_are_clipped() -> None:
    config = replace(CONFIG, optimizer=Adamw(max_gradient_norm=1e-3))
    with worker_group() as worker:
        trainee, step = begun(worker, config)
        norms = []
        model = trainee.model
        update = step.run([batch(*ROWS)], 1e-2, on_gradients=lambda: norms.append(float(norm_of(gradients_of(model)))))
    assert norms == [pytest.approx(float(update.norm))]
    assert norms[0] > 1e-3


def gradients_of(model: torch.nn.Module) -> list[torch.Tensor]:
    return [weight.grad for weight in model.parameters() if weight.grad is not None]


def test_a_gradient_that_no_scale_makes_finite_is_told() -> None:
    with worker_group() as worker:
        trainee = replace(begun(worker)[0], scaler=LossScaler(worker.device))
        step = Step(trainee, CONFIG, worker)
        next(trainee.model.parameters()).register_hook(lambda gradient: gradient * torch.nan)
        told = [int(step.run([batch(*ROWS)], 1e-2).not_finite) for _ in range(19)]
    assert told == [-1] * 16 + [16] * 3  # the scale is 2 ** 16 at first
