"""The records of updates: what one was like, and how fast those since the last record were."""

import time
from collections.abc import Callable
from typing import TypeAlias

from training.config.arithmetic import parts_of_rows
from training.config.branches import branch_command
from training.config.run import TrainConfig
from training.metrics.flops import peak_flops, row_flops
from training.metrics.norms import Norms
from training.metrics.records import Record
from training.parallel.mesh import NotFiniteError, Worker
from training.trainee import Trainee, Update

Tokens: TypeAlias = Callable[[int], int]  # updates -> the tokens that they read


class StepRecords:
    """Tokens per second leave out the time between `pause` and `resume`, which checkpoints and validation take.
    `output` is the run's folder."""

    def __init__(
        self, config: TrainConfig, trainee: Trainee, worker: Worker, output: str, tokens: Tokens, *, done: int
    ) -> None:
        assert config.sequence_length
        self._config = config
        self._output = output
        self._tokens = tokens
        self._flops = {
            parts: _token_flops(config, trainee, config.sequence_length // parts)
            for parts in {1, *(stage.parts for stage in config.length_stages)}
        }
        self._peak = peak_flops(worker.device)
        self._workers = worker.world_size
        self._trainee = trainee
        self._norms: Norms | None = None
        self._began = done
        self._last = done
        self._started = self._resumed = time.perf_counter()
        self._worked = 0.0
        self._waited = 0.0

    def measure(self) -> None:
        """Called where the gradients of an update are there, if it will have a record; in every process."""
        self._norms = Norms(self._trainee.model)

    def pause(self) -> None:
        self._worked += time.perf_counter() - self._resumed

    def resume(self) -> None:
        self._resumed = time.perf_counter()

    def record(self, done: int, update: Update, waited: float) -> Record:
        """Of update number `done`, from 1, which was measured; `waited`: seconds for data since the start. It waits for
        the device, and raises NotFiniteError, in every process, once an update's loss or gradient was not finite."""
        assert self._norms
        if (wrong := int(update.not_finite)) >= 0:
            name = "the gradient's norm" if update.loss.isfinite() else "the loss"
            lower = branch_command(
                self._output, f"optimizer.learning_rate={self._config.optimizer.learning_rate / 2:.3g}"
            )
            raise NotFiniteError(
                f"{name} is not finite at step {self._began + wrong + 1:,}; lower the optimizer's learning_rate from a "
                f"checkpoint on: {lower}, or lengthen the schedule's warm-up and begin again"
            )
        loss = float(update.loss)
        norm = float(update.norm)
        self.pause()
        self.resume()
        seconds = max(self._worked, 1e-9)
        rate = (self._tokens(done) - self._tokens(self._last)) / seconds
        each = self._flops[parts_of_rows(self._config, done - 1)]
        whole = update.labels_share is None  # rows that only pass forward are not told apart here
        used = [rate * flops / self._peak / self._workers if self._peak and whole else None for flops in each]
        record = {
            "kind": "step",
            "step": done,
            "loss": loss,
            "learning_rate": update.rate,
            "gradient_norm": norm,
            "tokens": self._tokens(done),
            "tokens_per_second": rate,
            "seconds": time.perf_counter() - self._started,
            "waited": (waited - self._waited) / seconds,
            "mfu": used[0],
            "mfu_causal": used[1],
            "norms": self._norms.after(),
            **({} if update.labels_share is None else {"labels_share": update.labels_share}),
            **({"parts": {name: float(value) for name, value in update.parts.items()}} if update.parts else {}),
        }
        self._last = done
        self._worked = 0.0
        self._waited = waited
        self._norms = None
        return record


def _token_flops(config: TrainConfig, trainee: Trainee, length: int) -> list[float]:
    """Of a token in rows of a length: with all scores of attention, and with half of those that a mask halves."""
    shape = config.objective.shape(length)
    return [row_flops(trainee.whole, shape, halved=halved) / length for halved in (False, True)]
