"""The watch of one training: it keeps the losses of the steps since they were last looked at, and judges them together.

Every process makes one, sees the same numbers and comes to the same verdict. Only the loop acts on it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from curation.core.credentials import masked
from curation.tokens.step_rows import SkippedWindow, StepRows
from training.config.branches import branch_command
from training.config.run import TrainConfig
from training.metrics.records import Record
from training.trainee import Update
from training.watch.signs import Logits, LossTrend, Sign, UpdateSizes
from training.watch.spike import OddStep, SpikeDetector

MOST = 20  # windows


class LossVerdict(NamedTuple):
    """`records` for metrics.jsonl, each with a `line` for the log; and the window to leave out, if one is."""

    records: Sequence[Record] = ()
    window: SkippedWindow | None = None


class LossWatch:
    """`rows` says what steps read, `available` how many positions the mix has, `done` how many steps were made."""

    def __init__(self, config: TrainConfig, output: str, rows: StepRows, available: int, *, done: int) -> None:
        self._config = config
        self._output = masked(output)
        self._rows = rows
        self._available = available
        self._next = done
        self._rate = 0.0
        self._detector = SpikeDetector(config.watch)
        self._trend = LossTrend()
        self._sizes = UpdateSizes()
        self._logits = Logits()
        self._seen: list[Tensor] = []
        self._calm: list[float] = []

    def take(self, update: Update) -> None:
        """Of each step. It does not wait for the device."""
        self._seen.append(torch.stack([update.loss.double(), update.norm.double()]))
        self._rate = update.rate

    def jumps(self) -> LossVerdict:
        """Among the steps since the last call. It waits for the device."""
        values = torch.stack(self._seen).tolist() if self._seen else []
        odd = self._detector.see(self._next, [loss for loss, _ in values], [norm for _, norm in values])
        known = {step.step for step in odd}
        self._calm += [loss for step, (loss, _) in enumerate(values, self._next) if step not in known]
        self._next += len(values)
        self._seen.clear()
        window = self._window(odd) if odd else None
        return LossVerdict([self._record(step, "skip" if window else "warn") for step in odd], window)

    def signs(self, record: Record) -> LossVerdict:
        """Of trouble that comes slowly; `record` is that of the last step."""
        share = self._rate / self._config.optimizer.learning_rate
        found = [*self._trend.see(self._calm, share), *self._sizes.see(record["norms"], share)]
        self._calm.clear()
        return self._told(found)

    def validated(self, figures: Mapping[str, float]) -> LossVerdict:
        """Of logits, where a validation has heard some."""
        return self._told(self._logits.see(figures))

    def _told(self, signs: Sequence[Sign]) -> LossVerdict:
        remedy = f"{branch_command(f'{self._output}@STEP')} goes on from a checkpoint with other settings"
        lines = [{"name": one.name, "line": f"{one.line}; {remedy}"} for one in signs]
        return LossVerdict([{"kind": "sign", "step": self._next, **line} for line in lines])

    def _window(self, odd: Sequence[OddStep]) -> SkippedWindow | None:
        """From the first odd step to the last, unless the mix has too few rows to go without them, or so many windows
        are left out already that the data cannot be what is wrong."""
        if self._config.watch.on_spike != "skip" or len(self._rows.skipped) >= MOST:
            return None
        first = odd[0].step
        begin = self._rows.positions(first).start
        rows = self._rows.positions(odd[-1].step).stop - begin
        if self._rows.positions(self._config.steps).start + rows > self._available:
            return None
        worst = max(odd, key=lambda step: step.loss_deviation)
        return SkippedWindow(first, begin, rows, f"at step {worst.step + 1:,} {_jump(worst)}")

    def _record(self, odd: OddStep, action: str) -> Record:
        deviations = {"loss": odd.loss_deviation, "gradient_norm": odd.norm_deviation}
        line = f"{_jump(odd)}; `winnow blame {self._output} --step {odd.step}` names its documents"
        facts = {"loss": odd.loss, "deviations": deviations, "action": action, "line": line}
        return {"kind": "spike", "step": odd.step + 1, **facts}


def _jump(odd: OddStep) -> str:
    return (
        f"the loss jumped to {odd.loss:.3f}, {odd.loss_deviation:.0f} deviations above the steps before "
        f"(gradient norm: {odd.norm_deviation:.0f})"
    )
