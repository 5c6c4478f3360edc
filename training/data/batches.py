"""Rows of token shards as batches for one process; any step can be read directly, and there is no state.

The rows of a step follow from the mix alone, and the draws of an objective from (seed, position of the row in the mix):
a resumed run, or one with another number of processes, sees exactly the examples of an uninterrupted one.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from curation.core.errors import InputError
from curation.tokens.shards import RowBatch, TokenData
from training.batch import Batch, Example, Kind, Row, SpecialIds
from training.config.arithmetic import micro_batches
from training.config.run import TrainConfig
from training.parallel.mesh import Worker

VALIDATION = 2**62  # validation rows have positions from here on


class StepBatches(NamedTuple):
    """This process's rows of a step in micro-batches. With a problem, they are padding."""

    batches: list[Batch]
    problem: str = ""


class TokenBatches:
    """The rows of one process, passed through the config's objective; `config` as resolved by `training.data.check`."""

    def __init__(self, data: TokenData, config: TrainConfig, ids: SpecialIds, worker: Worker) -> None:
        self._data = data
        self._config = config
        self._ids = ids
        self._worker = worker
        self._row_tokens = (config.sequence_length or data.sequence_length) + 1
        self._together = config.objective.kind is Kind.PLAIN and not config.documents_apart

    def training(self, step: int) -> StepBatches:
        """This process's share of the global batch: batch_rows / world_size rows."""
        share = self._config.batch_rows // self._worker.world_size
        first = step * self._config.batch_rows + self._worker.rank * share
        try:
            rows = self._data.read(first, share)
            examples = self._examples(rows, range(first, first + share))
        except InputError as error:
            return StepBatches(self._cut([self._padding] * share), str(error))
        return StepBatches(self._cut(examples))

    def validation(self) -> Iterator[Batch]:
        """At most `validation_rows` rows, spread evenly over the split, in batches like those of a step.

        Every process gets the same number of batches, because all must run a sharded model together. A process without
        a row left gets padding.
        """
        total = self._data.validation_rows
        count = min(total, self._config.validation_rows)
        chosen = [i * total // count for i in range(count)]
        share = self._config.batch_rows // self._worker.world_size
        for start in range(0, count, self._config.batch_rows):
            mine = chosen[start + self._worker.rank * share :][:share]
            examples = [
                example
                for row in mine
                for example in self._examples(self._data.read_validation(row, 1), [VALIDATION + row])
            ]
            yield from self._cut([*examples, *[self._padding] * (share - len(mine))])

    def _examples(self, rows: RowBatch, positions: Sequence[int]) -> list[Example]:
        kept = self._row_tokens
        objective, apart, seed = self._config.objective, self._config.documents_apart, self._config.seed
        return [
            objective.example(Row(tokens[:kept], segments[:kept], apart, self._ids), np.random.default_rng((seed, at)))
            for tokens, segments, at in zip(rows.tokens, rows.segment_ids, positions, strict=True)
        ]

    @property
    def _padding(self) -> Example:
        """Of a row without tokens."""
        tokens = np.full(self._row_tokens, self._ids.padding, np.uint32)
        row = Row(tokens, np.zeros(self._row_tokens, np.int32), self._config.documents_apart, self._ids)
        return self._config.objective.example(row, np.random.default_rng(0))

    def _cut(self, examples: Sequence[Example]) -> list[Batch]:
        objective = self._config.objective
        each = len(examples) // micro_batches(self._config, self._worker.world_size)
        batches = [
            Batch.of(
                examples[start : start + each],
                together=self._together,
                label_smoothing=objective.label_smoothing,
                z_loss=objective.z_loss,
            )
            for start in range(0, len(examples), each)
        ]
        return [batch.pinned() for batch in batches] if self._worker.device.type == "cuda" else batches
