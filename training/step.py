"""One update of the weights from the micro-batches of a step.

The loss of a step is the sum over all its labels in all processes divided by their weights, so it depends neither on
the number of processes nor on how rows are cut into micro-batches. Nothing here waits for the device: what an update
was like stays there until somebody asks, and gradients that are not finite change no weight.
"""

from collections.abc import Callable, Sequence

import torch
import torch.distributed as dist
from torch import Tensor

from training.batch import Batch
from training.config.run import TrainConfig
from training.optim.clip import clip
from training.optim.updates import update
from training.parallel.mesh import Worker
from training.selective import ChosenRows, choose_rows
from training.trainable import Losses
from training.trainee import Trainee, Update


class Step:
    """Updates one trainee; every process of the group calls it together."""

    def __init__(self, trainee: Trainee, config: TrainConfig, worker: Worker) -> None:
        self._model = trainee.model
        self._passes = trainee.passes
        self._optimizer = trainee.optimizer
        self._scaler = trainee.scaler
        self._config = config
        self._worker = worker
        self._updates = 0
        self._problems = torch.zeros((), dtype=torch.float64, device=worker.device)
        self._not_finite = torch.full((), -1, device=worker.device)

    def run(
        self,
        micro_batches: Sequence[Batch],
        rate: float,
        *,
        step: int = 0,
        problem: bool = False,
        on_gradients: Callable[[], None] = lambda: None,
    ) -> Update:
        """An update at a learning rate; its number `step`, from 0, decides which rows it learns from. `problem`: rows
        of this process could not be read. `on_gradients` is called before gradients are clipped."""
        chosen = self._chosen(micro_batches, step)
        batches = [batch.to(self._worker.device) for batch in (chosen.batches if chosen else micro_batches)]
        own = torch.stack([batch.weights.sum(dtype=torch.float64) for batch in batches]).sum() * self._worker.speaks
        weights, problems = self._total(torch.stack([own, torch.full_like(own, float(problem))])).unbind()
        weights = weights.clamp(min=1.0)
        optimizer = self._config.optimizer
        losses = self._gradients(batches, weights)
        loss, parts = self._means(losses, weights)
        loss = chosen.loss if chosen else loss
        on_gradients()
        norm = clip(self._model.parameters(), optimizer)
        finite = norm.isfinite() & loss.isfinite()
        optimizer.set_rate(self._optimizer, rate)
        # With a scaler an overflow is met by a smaller scale, and no failure as long as there is one.
        smaller = self._scaler.scale > 1 if self._scaler else torch.zeros_like(finite)
        kept = self._scaler.agree(finite) if self._scaler else finite
        update(self._optimizer, kept, (lambda: self._anew(batches, weights)) if optimizer.again else None)
        self._optimizer.zero_grad()
        fine = loss.isfinite() & (finite | smaller)
        self._not_finite = torch.where(fine | (self._not_finite >= 0), self._not_finite, self._updates)
        self._problems = self._problems + problems
        self._updates += 1
        return Update(loss, parts, norm, rate, self._problems, self._not_finite, chosen.share if chosen else None)

    def _chosen(self, micro_batches: Sequence[Batch], step: int) -> ChosenRows | None:
        config = self._config
        beta = config.selective_backprop.beta
        if not beta:
            return None
        return choose_rows(micro_batches, self._passes, self._worker, beta=beta, seed=config.seed, step=step)

    def _gradients(self, batches: Sequence[Batch], weights: Tensor) -> list[Losses]:
        # Sharding averages gradients over processes; this factor makes that the mean over all labels.
        factor = (self._worker.data.size() / weights).float()
        found = self._passes.gradients(batches, factor * self._scaler.scale if self._scaler else factor)
        if self._scaler:
            self._scaler.unscale(self._model.parameters())
        return found

    def _anew(self, batches: Sequence[Batch], weights: Tensor) -> None:
        self._optimizer.zero_grad()
        self._gradients(batches, weights)

    def _means(self, losses: Sequence[Losses], weights: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        names = sorted(losses[0].parts)
        own = [torch.stack([one.nats.double().sum(), *(one.parts[name].double() for name in names)]) for one in losses]
        sums = torch.stack(own).sum(dim=0) * self._worker.speaks
        loss, *parts = (self._total(sums) / weights).unbind()
        return loss, dict(zip(names, parts, strict=True))

    def _total(self, values: Tensor) -> Tensor:
        dist.all_reduce(values)
        return values
