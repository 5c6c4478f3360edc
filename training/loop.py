"""The training loop in plain torch: one process's part of a run, step by step."""

import logging
from collections.abc import Callable
from functools import partial
from threading import Event

from curation.core import storage
from curation.core.lease import Claim
from curation.tokens.step_rows import read_skipped, tokens_read, write_skipped
from training.checkpoint import run_record
from training.checkpoint.initial import begin_with, newest_of
from training.checkpoint.load import load_newest, load_parent
from training.checkpoint.save import Saver, WrittenCheckpoint
from training.config.arithmetic import rate_of, step_rows
from training.data.batches import TokenBatches
from training.data.check import PreparedData, problem_with
from training.data.prefetch import Prefetch
from training.ending import RowsSkippedError, StoppedError
from training.evaluate.validation import Validation, validate
from training.hang import HangWatch
from training.health.watch import HealthWatch
from training.metrics.journal import Journal
from training.metrics.records import Record
from training.metrics.steps import StepRecords
from training.parallel.mesh import Worker
from training.profile.recorder import StepProfile
from training.step import Step
from training.stop import StopRequest
from training.trainee import new_trainee
from training.watch.logits import listening
from training.watch.loss import LossVerdict, LossWatch

log = logging.getLogger(__name__)


class Loop:
    """From the newest complete checkpoint to the end; `done` counts finished steps. Every process makes one."""

    def __init__(
        self,
        prepared: PreparedData,
        output: str,
        worker: Worker,
        claim: Claim | None,
        on_record: Callable[[Record], None],
        on_checkpoint: Callable[[str, int], None],
        asked: Event,
        in_danger: Callable[[], bool],
    ) -> None:
        self.prepared = prepared
        self.config = config = prepared.config
        self.output = output
        self.worker = worker
        self.on_checkpoint = on_checkpoint
        self.in_danger = in_danger
        self.stop = StopRequest(asked)
        self.hang = HangWatch(output, worker.rank, config.hang_seconds)
        self.trainee = trainee = worker.agreed(lambda: new_trainee(config, worker))
        self.step = Step(self.trainee, config, worker)
        self.skipped = worker.gather(read_skipped(output))[0]
        rows = step_rows(config, self.skipped)
        self.done, damaged = load_newest(output, self.trainee, worker, self.skipped)
        if parent := prepared.parent if not self.done else None:
            load_parent(parent, trainee, worker, self.skipped)
            self.done = parent["step"]
        elif (init := config.init) and not self.done:
            source = worker.gather(worker.agreed(lambda: newest_of(init)))[0]
            worker.agreed(lambda: begin_with(source, config.model, trainee.model, worker))
        self.batches = TokenBatches(prepared.data, config, rows, prepared.ids, worker)
        self.batches.until_checked(self.done)
        worker.agree(problem_with(lambda: sum(1 for _ in self.batches.validation())))
        self.journal = worker.agreed(lambda: Journal(config, output, claim, on_record, done=self.done))
        keep = config.keep_checkpoints, config.keep_every
        self.saver = Saver(output, trainee, worker, keep, skipped=self.skipped, check=self.journal.check)
        self.ahead = Prefetch(self.batches.training, self.done, config.steps)
        segments = prepared.parent["segments"] if prepared.parent else ()
        self.tokens = partial(tokens_read, rows=rows, segments=segments, sequence_length=config.sequence_length or 0)
        self.records = StepRecords(config, self.trainee, worker, output, self.tokens, done=self.done)
        self.profile = StepProfile(config, output, worker, trainee.model, self.ahead, done=self.done)
        self.watch = LossWatch(config, output, rows, prepared.data.rows, done=self.done)
        self.health = HealthWatch(output, worker, asked, lambda: self.ahead.waited)
        begun = run_record.beginning(config, output, self.done, worker.layout, damaged, self.skipped, parent)
        self.journal.write(begun)

    def all_steps(self) -> None:
        """Trains to the end; the last step is always logged and checkpointed. Checkpoints are written meanwhile.

        Raises StoppedError, in every process, with a complete checkpoint, once one of them is asked to stop."""
        config = self.config
        problem = ""
        while self.done < config.steps:
            self.hang.step()
            self.profile.begin(self.done + 1)
            taken = self.ahead.take()
            problem = problem or taken.problem
            last = self.done + 1 == config.steps
            stops = self.stop.agreed()
            saves = last or stops or (self.done + 1) % config.checkpoint_every == 0
            logs = saves or (self.done + 1) % config.log_every == 0
            update = self.step.run(
                taken.batches,
                rate_of(config, self.done),
                step=self.done,
                problem=bool(taken.problem),
                on_gradients=self.records.measure if logs else lambda: None,
            )
            self.done += 1
            self.watch.take(update)
            if logs:
                self.heed(self.watch.jumps())
                if float(update.problems):
                    self.worker.agree(problem)
                record = self.records.record(self.done, update, self.ahead.waited)
                self.journal.write(record | self.health.look())
                self.heed(self.watch.signs(record))
            self.records.pause()
            if profiled := self.profile.end(self.done):
                self.journal.write(profiled)
            if logs:
                self.tell(self.saver.join(wait=False))
            # Validation comes first, so that a run resumed from the checkpoint has not skipped it.
            if self.done % config.validate_every == 0 and not last:
                self.validate()
            if saves or (logs and self.in_danger()):
                self.save()
            if stops and not last:
                self.tell(self.saver.join())
                raise StoppedError(f"stopped after step {self.done:,}, with a checkpoint; the same command resumes")
            self.records.resume()
        self.tell(self.saver.join())

    def heed(self, verdict: LossVerdict) -> None:
        """Raises RowsSkippedError, in every process, if rows are left out from now on."""
        for record in verdict.records:
            self.journal.write(record)
            if self.worker.first:
                log.warning("step %d: %s", record["step"], record["line"])
        if verdict.window:
            self.journal.before_writing()
            if self.worker.first:
                write_skipped(self.output, [*self.skipped, verdict.window])
            self.worker.wait()
            raise RowsSkippedError(verdict.window.reason)

    def validate(self) -> Validation:
        batches = self.batches.validation()
        known = (self.prepared.utf8_bytes, sorted(set(self.prepared.data.sources)))
        with listening(compiled=self.config.compile) as figures:
            validation = validate(self.trainee.passes, batches, self.worker, self.config, *known)
        logits = figures.record(self.worker)
        self.journal.write({"kind": "validation", "step": self.done, **validation.record(), **logits})
        self.heed(self.watch.validated(logits))
        return validation

    def save(self) -> None:
        self.tell(self.saver.join())
        self.journal.before_writing()
        self.saver.begin(self.done)

    def tell(self, saved: WrittenCheckpoint | None) -> None:
        """Of a checkpoint that is complete."""
        if saved:
            self.journal.write(saved.record())
            self.on_checkpoint(saved.folder, saved.step)

    def finish(self, data: str) -> Record:
        """Validates and writes result.json, which marks the run as finished; returns its content."""
        validation = self.validate().record()
        result = {
            "validation_loss": validation.pop("loss"),
            **validation,
            "steps": self.done,
            "tokens": self.tokens(self.done),
            "parameters": sum(parameter.numel() for parameter in self.trainee.whole.parameters()),
            "world_size": self.worker.world_size,
            "data": data,
            "data_fingerprint": self.prepared.fingerprint,
            "energy": self.health.energy(self.config),
        }
        self.journal.before_writing()
        if self.worker.first:
            run_record.write_json(storage.join(self.output, "result.json"), result)
        self.journal.write({"kind": "result", "step": self.done, **result})
        return result

    def close(self) -> None:
        self.hang.close()
        self.profile.close()
        self.health.close()
        self.ahead.close()
        self.stop.close()
        self.saver.close()
        self.journal.close()
