"""The training loop in plain torch, which every process of a run calls once.

Ray Train calls `train` through `training.job`, and without Ray `training.__main__` does.
"""

import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, closing

from curation.core import storage
from curation.core.lease import Claim
from curation.core.run_lock import check_claim, only_run
from training.checkpoint import run_record
from training.checkpoint.initial import begin_with
from training.checkpoint.load import load_newest
from training.checkpoint.save import save
from training.config.run import TrainConfig
from training.data.batches import TokenBatches
from training.data.check import PreparedData, prepare, problem_with
from training.data.prefetch import Prefetch
from training.evaluate.validation import Validation, validate
from training.metrics.journal import Journal
from training.metrics.records import Record
from training.metrics.steps import StepRecords
from training.parallel.mesh import RefusedError, Worker, worker_group
from training.preflight import check_start
from training.step import Step
from training.trainee import new_trainee


def train(
    config: TrainConfig,
    data: str,
    output: str,
    *,
    claim: Claim | None = None,
    on_record: Callable[[Record], None] = lambda record: None,
    on_checkpoint: Callable[[str, int], None] = lambda path, step: None,
) -> Record:
    """Trains to the end, from the newest complete checkpoint in `output` if there is one; returns result.json.

    Every process of the group calls it. `claim` is the caller's on `output`; without one the first process holds it.
    `on_record` is called in the first process with each line of metrics.jsonl, `on_checkpoint` in every process with
    each checkpoint once it is complete. A finished run is not trained again.

    Raises RefusedError, in every process, and writes failure.json, if config, data, output and the number of processes
    do not fit together, no checkpoint is whole, rows of the data are damaged, or the loss is not finite; ValueError in
    the first while another run holds `output`, and StageError if another has taken it over.
    """
    folder = storage.absolute(output)
    with worker_group(config.parallel.replicate) as worker, ExitStack() as stack:
        try:
            prepared = worker.agreed(lambda: prepare(config, data, worker.world_size))
            worker.agreed(lambda: check_start(prepared.config, worker.world_size, here=True))
            worker.agreed(lambda: run_record.refuse_other_run(folder, prepared.config, prepared.fingerprint))
            if result := worker.gather(run_record.finished(folder))[0]:
                return result
            if worker.first:
                claim = claim or stack.enter_context(only_run(folder))
                check_claim(folder, claim)
                run_record.claim(folder, prepared.config, prepared.fingerprint, data, prepared.appended)
            worker.wait()
            run = _Run(prepared, folder, worker, claim if worker.first else None, on_record, on_checkpoint)
            with closing(run):
                run.all_steps()
                return run.finish(data)
        except RefusedError as error:
            if worker.first and claim:
                run_record.write_failure(folder, str(error))
            raise


class _Run:
    """One process's part of a run; `done` counts finished steps."""

    def __init__(
        self,
        prepared: PreparedData,
        output: str,
        worker: Worker,
        claim: Claim | None,
        on_record: Callable[[Record], None],
        on_checkpoint: Callable[[str, int], None],
    ) -> None:
        self.prepared = prepared
        self.config = config = prepared.config
        self.output = output
        self.worker = worker
        self.on_checkpoint = on_checkpoint
        self.trainee = worker.agreed(lambda: new_trainee(config, worker))
        self.step = Step(self.trainee, config, worker)
        self.done, damaged = load_newest(output, self.trainee, worker)
        if config.init and not self.done:
            init = config.init
            worker.agreed(lambda: begin_with(init, config.model, self.trainee))
        self.batches = TokenBatches(prepared.data, config, prepared.ids, worker)
        worker.agree(problem_with(lambda: deque(self.batches.validation(), maxlen=0)))
        self.journal = worker.agreed(lambda: Journal(config, output, claim, on_record, done=self.done))
        self.ahead = Prefetch(self.batches.training, self.done, config.steps)
        self.records = StepRecords(config, self.trainee, worker, done=self.done)
        self.journal.write(run_record.beginning(config, output, self.done, worker.world_size, damaged))

    def all_steps(self) -> None:
        """Trains to the end; the last step is always logged and checkpointed."""
        config = self.config
        problem = ""
        while self.done < config.steps:
            taken = self.ahead.take()
            problem = problem or taken.problem
            last = self.done + 1 == config.steps
            saves = last or (self.done + 1) % config.checkpoint_every == 0
            logs = saves or (self.done + 1) % config.log_every == 0
            update = self.step.run(
                taken.batches,
                config.schedule.rate(self.done, steps=config.steps, peak=config.optimizer.learning_rate),
                problem=bool(taken.problem),
                on_gradients=self.records.measure if logs else lambda: None,
            )
            self.done += 1
            if logs:
                if float(update.problems):
                    self.worker.agree(problem)
                self.journal.write(self.records.record(self.done, update, self.ahead.waited))
            self.records.pause()
            # Validation comes first, so that a run resumed from the checkpoint has not skipped it.
            if self.done % config.validate_every == 0 and not last:
                self.validate()
            if saves:
                self.save()
            self.records.resume()

    def validate(self) -> Validation:
        batches = self.batches.validation()
        validation = validate(self.trainee.model, batches, self.worker.device, self.config, self.prepared.utf8_bytes)
        self.journal.write({"kind": "validation", "step": self.done, **validation.record()})
        return validation

    def save(self) -> None:
        self.journal.before_writing()
        began = time.perf_counter()
        path = save(self.output, self.done, self.trainee, self.worker, keep=self.config.keep_checkpoints)
        self.journal.write({"kind": "checkpoint", "step": self.done, "seconds": time.perf_counter() - began})
        self.on_checkpoint(path, self.done)

    def finish(self, data: str) -> Record:
        """Validates and writes result.json, which marks the run as finished; returns its content."""
        validation = self.validate().record()
        result = {
            "validation_loss": validation.pop("loss"),
            **validation,
            "steps": self.done,
            "tokens": self.records.tokens(self.done),
            "parameters": sum(parameter.numel() for parameter in self.trainee.model.parameters()),
            "world_size": self.worker.world_size,
            "data": data,
            "data_fingerprint": self.prepared.fingerprint,
        }
        self.journal.before_writing()
        if self.worker.first:
            run_record.write_json(storage.join(self.output, "result.json"), result)
        self.journal.write({"kind": "result", "step": self.done, **result})
        return result

    def close(self) -> None:
        self.ahead.close()
        self.journal.close()
