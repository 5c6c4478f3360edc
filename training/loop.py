"""The training loop in plain torch, which every process of a run calls once.

Ray Train calls `train` through `training.job`, and without Ray `training.__main__` does. The loss of a step is the sum
over all processes divided by all valid labels, so it does not depend on the number of processes.
"""

import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.nn.utils import clip_grad_norm_

from curation.core import storage
from curation.core.lease import Claim
from curation.core.run_lock import check_claim, only_run
from training.batch import Batch
from training.checkpoint import run_record
from training.checkpoint.load import load_newest
from training.checkpoint.manifest import folder_of
from training.checkpoint.retention import prune
from training.checkpoint.save import save
from training.config.run import TrainConfig
from training.data.batches import TokenBatches
from training.data.check import PreparedData, prepare, problem_with
from training.evaluate.validation import Validation, validate
from training.metrics import MetricsFile, Record, Speed, finite, peak_flops
from training.parallel.mesh import Worker, worker_group
from training.parallel.sharding import shard

OnRecord = Callable[[Record], None]
OnCheckpoint = Callable[[str, int], None]


def train(
    config: TrainConfig,
    data: str,
    output: str,
    *,
    claim: Claim | None = None,
    on_record: OnRecord = lambda record: None,
    on_checkpoint: OnCheckpoint = lambda path, step: None,
) -> Record:
    """Trains to the end, from the newest complete checkpoint in `output` if there is one; returns result.json.

    Every process of the group calls it. `claim` is the caller's on `output`; without one the first process holds it.
    `on_record` is called in the first process with each line of metrics.jsonl, `on_checkpoint` in every process with
    each checkpoint once it is complete. A finished run is not trained again.

    Raises ValueError if config, data, output and the number of processes do not fit together, and while another
    run holds `output`; RefusedError, in every process, if no checkpoint is whole or rows of the data are damaged;
    StageError if another has taken it over.
    """
    folder = storage.absolute(output)
    with worker_group() as worker, ExitStack() as stack:
        prepared = prepare(config, data, worker.world_size)
        run_record.refuse_other_run(folder, prepared.config, prepared.fingerprint)
        worker.wait()
        if result := run_record.finished(folder):
            return result
        if worker.first:
            claim = claim or stack.enter_context(only_run(folder))
            check_claim(folder, claim)
            run_record.claim(folder, prepared.config, prepared.fingerprint, data)
        worker.wait()
        run = _Run(prepared, folder, worker, claim, on_record, on_checkpoint)
        try:
            run.all_steps()
            return run.finish(data, prepared.fingerprint)
        finally:
            if run.metrics:
                run.metrics.close()


class _Update(NamedTuple):
    """The outcome of one step, left on the device until it is logged."""

    loss_sum: Tensor  # of this process
    valid: float  # labels of all processes
    gradient_norm: Tensor
    learning_rate: float


class _Run:
    """One process's part of a run; `done` counts finished steps."""

    def __init__(
        self,
        prepared: PreparedData,
        output: str,
        worker: Worker,
        claim: Claim | None,
        on_record: OnRecord,
        on_checkpoint: OnCheckpoint,
    ) -> None:
        self.config = config = prepared.config
        assert config.model.vocabulary
        assert config.sequence_length
        self.output = output
        self.worker = worker
        self.claim = claim
        self.on_record = on_record
        self.on_checkpoint = on_checkpoint
        self.model = config.model.build(config.model.vocabulary, config.seed)
        shard(self.model, self.model.blocks, worker.mesh, bfloat16=worker.device.type == "cuda")
        self.optimizer = config.optimizer.build(self.model)
        self.done, damaged = load_newest(output, self.model, self.optimizer, worker)
        self.batches = TokenBatches(prepared.data, config, worker)
        worker.agree(problem_with(lambda: deque(self.batches.validation(), maxlen=0)))
        self.bytes_per_token = prepared.bytes_per_token
        self.tokens_per_step = config.batch_rows * config.sequence_length  # of all processes, padding included
        self.flops_per_token = self.model.flops_per_token(config.sequence_length)
        self.metrics = (
            MetricsFile(storage.join(output, "metrics.jsonl"), resumed_at=self.done) if worker.first else None
        )
        self.speed = Speed()
        self.begin(damaged)

    def begin(self, damaged: tuple[str, ...]) -> None:
        """Records where the run begins or goes on; `damaged` says which newer checkpoints were passed over."""
        every = (self.config.log_every, self.config.checkpoint_every)
        next_line = min(self.config.steps, *(self.done + steps - self.done % steps for steps in every))
        facts = {"step": self.done, "workers": self.worker.world_size, "next_line": next_line}
        if self.done:
            loaded = {"checkpoint": folder_of(self.output, self.done), "damaged": list(damaged)}
            self.record({"kind": "resume", **facts, **loaded})
        else:
            self.record({"kind": "start", **facts})

    def all_steps(self) -> None:
        """Trains to the end; the last step is always logged and checkpointed."""
        config = self.config
        while self.done < config.steps:
            update = self.update(self.done)
            self.done += 1
            last = self.done == config.steps
            save = last or self.done % config.checkpoint_every == 0
            if save or self.done % config.log_every == 0:
                self.log(update)
            self.speed.pause()
            # Validation comes first, so that a run resumed from the checkpoint has not skipped it.
            if self.done % config.validate_every == 0 and not last:
                self.validate()
            if save:
                self.save()
            self.speed.resume()

    def update(self, step: int) -> _Update:
        optimizer = self.config.optimizer
        batch, valid = self.batch(step)
        loss_sum = self.model.loss(batch)
        # Sharding averages gradients over the processes; this factor makes that the mean over all valid labels.
        torch.autograd.backward(loss_sum * (self.worker.world_size / valid))
        norm = clip_grad_norm_(self.model.parameters(), optimizer.max_gradient_norm)
        rate = self.config.schedule.rate(step, steps=self.config.steps, peak=optimizer.learning_rate)
        optimizer.set_rate(self.optimizer, rate)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.speed.add(self.tokens_per_step)
        return _Update(loss_sum.detach(), valid, norm.full_tensor() if isinstance(norm, DTensor) else norm, rate)

    def batch(self, step: int) -> tuple[Batch, float]:
        """This process's rows of a step, and the valid labels of all processes, at least 1."""
        read: list[Batch] = []
        problem = problem_with(lambda: read.append(self.batches.training(step)))
        valid, problems = self.worker.total(read[0].valid if read else 0.0, float(bool(problem)))
        if problems:
            self.worker.agree(problem)
        return read[0], max(valid, 1.0)

    def log(self, update: _Update) -> None:
        """Raises FloatingPointError in every process once the loss or the gradient is not finite."""
        loss = self.worker.total(float(update.loss_sum))[0] / update.valid
        rate, seconds = self.speed.take()
        peak = peak_flops(self.worker.device)
        self.record(
            {
                "kind": "step",
                "step": self.done,
                "loss": finite(loss, "the loss", self.done),
                "learning_rate": update.learning_rate,
                "gradient_norm": finite(float(update.gradient_norm), "the gradient's norm", self.done),
                "tokens": self.done * self.tokens_per_step,
                "tokens_per_second": rate,
                "seconds": seconds,
                "mfu": rate * self.flops_per_token / peak / self.worker.world_size if peak else None,
            }
        )

    def validate(self) -> Validation:
        assert self.config.model.vocabulary
        validation = validate(self.model, self.batches.validation(), self.config.model.vocabulary)
        self.record({"kind": "validation", "step": self.done, **validation.record(self.bytes_per_token)})
        return validation

    def save(self) -> None:
        self.before_writing()
        began = time.perf_counter()
        path = save(self.output, self.done, self.model, self.optimizer, self.worker)
        seconds = time.perf_counter() - began
        if self.worker.first:
            prune(self.output, self.config.keep_checkpoints, self.done)
        self.record({"kind": "checkpoint", "step": self.done, "seconds": seconds})
        self.on_checkpoint(path, self.done)

    def finish(self, data: str, fingerprint: str) -> Record:
        """Validates and writes result.json, which marks the run as finished; returns its content."""
        validation = self.validate().record(self.bytes_per_token)
        result = {
            "validation_loss": validation.pop("loss"),
            **validation,
            "steps": self.done,
            "tokens": self.done * self.tokens_per_step,
            "parameters": sum(parameter.numel() for parameter in self.model.parameters()),
            "world_size": self.worker.world_size,
            "data": data,
            "data_fingerprint": fingerprint,
        }
        self.before_writing()
        if self.worker.first:
            run_record.write_json(storage.join(self.output, "result.json"), result)
        self.record({"kind": "result", "step": self.done, **result})
        return result

    def before_writing(self) -> None:
        """Before files that a resumed run relies on. Raises StageError in the first process, which ends the others too,
        if another run has taken the folder over."""
        if self.claim and self.metrics:
            check_claim(self.output, self.claim)
            self.metrics.sync()

    def record(self, record: Record) -> None:
        if self.metrics:
            self.metrics.write(record)
            self.on_record(record)
