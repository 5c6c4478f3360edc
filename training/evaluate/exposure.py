"""Exposure bias: how much worse a decoder predicts a text behind its own words than behind the text's.

Each row's first tokens are a prompt. Teacher-forced, the label at a place is predicted from the row up to it;
free-running, from the prompt and what the model drew itself up to there. The difference by position holds both what
errors add up to and that a drawn text may rightly go elsewhere: compare checkpoints by it, and do not read one alone.

Source: Arora et al. 2022, "Why Exposure Bias Matters" (arXiv:2204.01171), for errors that accumulate by position.
N rows, L + 1 tokens of a row.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from curation.core.errors import InputError
from training.batch import Batch, Ids
from training.data.check import PreparedData
from training.evaluate.causal import CausalNetwork
from training.evaluate.generate import by_length, generate


@dataclass(frozen=True)
class ExposureBias:
    """Nats per label, the mean over rows, of the places behind the prompt."""

    rows: int
    prompt: int  # tokens
    teacher_forced: list[float]
    free_running: list[float]

    @property
    def excess(self) -> float:
        """The mean by which free running is worse."""
        return float(np.mean(self.free_running) - np.mean(self.teacher_forced))


def whole_rows(prepared: PreparedData, rows: int) -> Ids:
    """int64[N, L + 1]: the first validation rows without padding, at most so many. Raises InputError for none."""
    data = prepared.data
    length = (prepared.config.sequence_length or data.sequence_length) + 1
    found = (data.read_validation(row, 1) for row in range(data.validation_rows))
    whole = [one.tokens[0, :length].astype(np.int64) for one in found if one.segment_ids[0, :length].all()][:rows]
    if not whole:
        raise InputError("no validation row is without padding, so none has a text to go on with; pack rows by concat")
    return np.stack(whole)


def exposure_bias(model: CausalNetwork, rows: Ids, *, seed: int = 0) -> ExposureBias:
    """Of rows [N, L + 1] whose first half is the prompt; the model's own words are drawn as `generate` draws."""
    prompt = rows.shape[1] // 2
    behind = rows.shape[1] - prompt
    drawn = generate(model, rows[:, :prompt].tolist(), behind, temperature=1.0, seed=seed)
    own = np.concatenate([rows[:, :prompt], np.array(drawn, np.int64)], axis=1)
    forced, free = (_nats(model, read[:, :-1], rows, prompt) for read in (rows, own))
    return ExposureBias(len(rows), prompt, forced.mean(axis=0).tolist(), free.mean(axis=0).tolist())


@torch.no_grad()
def _nats(model: CausalNetwork, inputs: Ids, rows: Ids, prompt: int) -> npt.NDArray[np.float64]:
    """float64[N, L + 1 - prompt]: of the rows' tokens behind the prompt, from other inputs [N, L]."""
    found = []
    for numbers in by_length(inputs.tolist()):
        read = torch.from_numpy(inputs[numbers])
        labels = torch.from_numpy(rows[numbers, prompt:])
        places = torch.arange(prompt - 1, rows.shape[1] - 1).expand_as(labels)
        batch = Batch(inputs=read, labels=labels, weights=torch.ones(labels.shape), segments=None, places=places)
        batch = batch.to(model.output_matrix.device)
        logs = model.logits(batch).float().log_softmax(dim=-1)
        found.append(-logs.gather(2, batch.labels[:, :, None])[:, :, 0].double().cpu().numpy())
    return np.concatenate(found)
