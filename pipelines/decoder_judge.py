"""The small decoder of `winnow train` as a judge of what a run teaches: `winnow compare --model decoder`.

A draw of a run's text is read once, in rows of the config's sequence length; steps follow from the tokens, and the
schedule is shortened to them. Everything else is the config's, whose model must predict each token from those before.
A held-out document begins after end-of-text and is priced in windows of that length, so each token is predicted from at
most so many before it, and at least from the last one. D held-out documents, L tokens of a row.

On one machine equal input gives an equal result; torch does not promise the same last digits on another one.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch

from curation.account.compare.tokens import Ids
from curation.core.errors import InputError
from curation.tokens.token_files import Vocabulary
from training.batch import Batch, Example, Kind, Row, SpecialIds
from training.config.arithmetic import check_workers, micro_batches
from training.config.components import OBJECTIVE
from training.config.parse import key_of
from training.config.run import TrainConfig
from training.data.check import check_kinds
from training.parallel.mesh import worker_group
from training.step import Step
from training.trainee import new_trainee

LENGTH = 256  # tokens of a row where the config names none, as in the demonstration recipe
WINDOWS = 32  # priced at a time
BITS = float(1 / np.log(2))  # of a nat


class DecoderJudge:
    """Prices documents large_list<uint16|uint32>[D], each with end-of-text. Raises ValueError for a config whose model
    does not predict each token from those before."""

    def __init__(self, documents: pa.LargeListArray, vocabulary: Vocabulary, config: TrainConfig) -> None:
        check_kinds(config)
        check_workers(config, 1)
        if config.objective.kind is not Kind.PLAIN:
            raise ValueError(
                f"the objective {key_of(config, OBJECTIVE)} gives {config.objective.kind.value} rows, but a judge must "
                "predict each token from those before; take causal"
            )
        self._length = config.sequence_length or LENGTH
        self._config = replace(
            config, model=replace(config.model, vocabulary=vocabulary.size), sequence_length=self._length
        )
        begin = vocabulary.begin_of_text
        self._ids = SpecialIds(vocabulary.size, vocabulary.end_of_text, vocabulary.padding, {}, begin_of_text=begin)
        ids = np.asarray(documents.flatten())
        self._documents = len(documents)
        self._windows, self._of = _windows(ids, np.asarray(documents.offsets), self._length, vocabulary.end_of_text)

    def bits(self, text: Ids, seed: int) -> npt.NDArray[np.float64]:
        """float64[D]. Raises InputError if the text is too little for one step."""
        config = replace(self._config, seed=seed)
        steps = len(text) // (self._length * config.batch_rows)
        if not steps:
            raise InputError(
                f"{len(text):,} tokens do not fill {config.batch_rows} rows of {self._length}; give more --tokens, "
                "fewer --points, or a --train config with a smaller batch"
            )
        schedule = config.schedule.shortened(steps)
        nats = np.zeros(self._documents)
        with worker_group() as worker:
            trainee = new_trainee(config, worker)
            step = Step(trainee, config, worker)
            for number in range(steps):
                rate = schedule.rate(number, steps=steps, peak=config.optimizer.learning_rate)
                step.run(self._batches(text, number), rate)
            with torch.no_grad():
                for first in range(0, len(self._windows), WINDOWS):
                    batch = Batch.of(self._windows[first : first + WINDOWS], together=True)
                    own = trainee.model(batch.to(worker.device)).nats
                    np.add.at(nats, self._of[first : first + WINDOWS], own.double().cpu().numpy())
        return nats * BITS

    def _batches(self, text: Ids, step: int) -> list[Batch]:
        """The rows of a step; each begins with the last token of the row before, the first with end-of-text."""
        config = self._config
        rows = config.batch_rows
        length = self._length
        end = self._ids.end_of_text
        first = step * rows * length
        before = text[first - 1 : first] if first else np.array([end], text.dtype)
        stream = np.concatenate([before, text[first : first + rows * length]])
        examples = []
        for row in range(rows):
            tokens = stream[row * length : (row + 1) * length + 1]
            ends = np.cumsum(tokens == end) - (tokens == end)  # an end belongs to the document before it
            own = Row(tokens, (ends + 1).astype(np.int32), config.documents_apart, self._ids)
            examples.append(config.objective.example(own, np.random.default_rng((config.seed, step * rows + row))))
        each = rows // micro_batches(config, rows)
        together = not config.documents_apart
        return [Batch.of(examples[at : at + each], together=together) for at in range(0, rows, each)]


def _windows(
    ids: Ids, starts: npt.NDArray[np.int64], length: int, end: int
) -> tuple[list[Example], npt.NDArray[np.int64]]:
    """W windows, with weight 0 after a document, and int64[W], the document of each."""
    counts = -(-np.diff(starts) // length)
    of = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = (starts[of] + number * length)[:, None] + np.arange(length)
    inside = places < starts[of + 1][:, None]
    labels = np.where(inside, ids[np.minimum(places, len(ids) - 1)].astype(np.int64), end)
    before = np.where(places == starts[of][:, None], end, ids[np.maximum(np.minimum(places, len(ids)) - 1, 0)])
    inputs = np.where(inside, before, end).astype(np.int64)
    segments = np.ones(length, np.int32)
    rows = zip(inputs, labels, inside.astype(np.float32), strict=True)
    return [Example(inputs=read, segments=segments, labels=said, weights=weight) for read, said, weight in rows], of
