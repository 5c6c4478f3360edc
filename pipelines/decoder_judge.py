"""The small decoder of `winnow train` as a judge of what a run teaches: `winnow compare --model decoder`.

A draw of a run's text is read once, in rows of the config's sequence length; steps follow from the tokens, and the
schedule is shortened to them. Everything else is the config's, whose model must predict each token from those before.
A held-out document begins after end-of-text and is priced in windows of that length, so each token is predicted from at
most so many before it, and at least from the last one. D held-out documents, L tokens of a row.

On one machine equal input gives an equal result; torch does not promise the same last digits on another one.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_

from curation.account.compare.tokens import Ids
from curation.core.errors import InputError
from curation.tokens.token_files import Vocabulary
from training.batch import IGNORED, Batch
from training.config.run import TrainConfig
from training.trainable import Trainable

LENGTH = 256  # tokens of a row where the config names none, as in the demonstration recipe
WINDOWS = 32  # priced at a time
BITS = float(1 / np.log(2))  # of a nat


class DecoderJudge:
    """Prices documents large_list<uint16|uint32>[D], each with end-of-text."""

    def __init__(self, documents: pa.LargeListArray, vocabulary: Vocabulary, config: TrainConfig) -> None:
        self._config = config
        self._vocabulary = vocabulary
        self._length = config.sequence_length or LENGTH
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        starts = np.asarray(documents.offsets)
        ids = np.asarray(documents.flatten())
        self._documents = len(documents)
        self._inputs, self._labels, self._of = _windows(ids, starts, self._length, vocabulary.end_of_text)

    def bits(self, text: Ids, seed: int) -> npt.NDArray[np.float64]:
        """float64[D]. Raises InputError if the text is too little for one step."""
        model = self._trained(text, seed)
        nats = np.zeros(self._documents)
        with torch.no_grad():
            for first in range(0, len(self._inputs), WINDOWS):
                part = slice(first, first + WINDOWS)
                logits = model(torch.from_numpy(self._inputs[part]).to(self._device))
                labels = torch.from_numpy(self._labels[part]).to(self._device)
                each = F.cross_entropy(logits.transpose(1, 2).float(), labels, ignore_index=IGNORED, reduction="none")
                np.add.at(nats, self._of[part], each.double().sum(dim=1).cpu().numpy())
        return nats * BITS

    def _trained(self, text: Ids, seed: int) -> Trainable:
        config = self._config
        rows = self._config.batch_rows
        steps = len(text) // (self._length * rows)
        if not steps:
            raise InputError(
                f"{len(text):,} tokens do not fill {rows} rows of {self._length}; give more --tokens, fewer --points, "
                "or a --train config with a smaller batch"
            )
        schedule = config.schedule.shortened(steps)
        model = config.model.build(self._vocabulary.size, seed)
        model.to(self._device)
        optimizer = config.optimizer.build(model)
        for step in range(steps):
            batch = self._batch(text, step)
            torch.autograd.backward(model.loss(batch) / batch.valid)
            clip_grad_norm_(model.parameters(), config.optimizer.max_gradient_norm)
            peak = config.optimizer.learning_rate
            config.optimizer.set_rate(optimizer, schedule.rate(step, steps=steps, peak=peak))
            optimizer.step()
            optimizer.zero_grad()
        return model

    def _batch(self, text: Ids, step: int) -> Batch:
        """The rows of a step; each begins with the last token of the row before, the first with end-of-text."""
        rows = self._config.batch_rows
        length = self._length
        end = self._vocabulary.end_of_text
        first = step * rows * length
        before = text[first - 1 : first] if first else np.array([end], text.dtype)
        stream = np.concatenate([before, text[first : first + rows * length]])
        tokens = np.stack([stream[row * length : (row + 1) * length + 1] for row in range(rows)])
        ends = np.cumsum(tokens == end, axis=1) - (tokens == end)  # an end belongs to the document before it
        segments = (ends + 1).astype(np.int32)
        example = self._config.objective.example(tokens, segments, np.random.default_rng((self._config.seed, step)))
        return Batch.of(example, self._device)


def _windows(
    ids: Ids, starts: npt.NDArray[np.int64], length: int, end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(inputs int64[W, L], labels int64[W, L] with IGNORED after a document, int64[W] the document of each)."""
    counts = -(-np.diff(starts) // length)
    of = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = (starts[of] + number * length)[:, None] + np.arange(length)
    inside = places < starts[of + 1][:, None]
    labels = np.where(inside, ids[np.minimum(places, len(ids) - 1)].astype(np.int64), IGNORED)
    before = np.where(places == starts[of][:, None], end, ids[np.maximum(np.minimum(places, len(ids)) - 1, 0)])
    return np.where(inside, before, end).astype(np.int64), labels, of
