"""Rows of token shards as batches for one process; any step can be read directly, and there is no state.

The rows of a step follow from the mix alone, and the draws of an objective from (seed, step, rank), so a resumed run
sees exactly the batches of an uninterrupted one. B rows of this process, L tokens that the model reads.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from curation.tokens.shards import TokenData
from training.batch import Batch
from training.config.run import TrainConfig
from training.parallel.mesh import Worker

VALIDATION = 2**63  # validation batches are numbered from here in the seeds of draws


class TokenBatches:
    """The rows of one process, passed through the config's objective; `config` as resolved by `training.data.check`."""

    def __init__(self, data: TokenData, config: TrainConfig, worker: Worker) -> None:
        self._data = data
        self._config = config
        self._rank = worker.rank
        self._world_size = worker.world_size
        self._device = worker.device
        self._row_tokens = (config.sequence_length or data.sequence_length) + 1

    def training(self, step: int) -> Batch:
        """This process's share of the global batch: B = batch_rows / world_size."""
        rows = self._data.batch(step, batch_rows=self._config.batch_rows, rank=self._rank, world_size=self._world_size)
        return self._batch(rows.tokens, rows.segment_ids, step)

    def validation(self) -> Iterator[Batch]:
        """At most `validation_rows` rows, spread evenly over the split, in global batches of `batch_rows`.

        Every process gets the same number of batches, because all must run a sharded model together. A process without
        a row left gets one without valid labels.
        """
        total = self._data.validation_rows
        count = min(total, self._config.validation_rows)
        chosen = [i * total // count for i in range(count)]
        share = self._config.batch_rows // self._world_size
        for start in range(0, count, self._config.batch_rows):
            mine = chosen[start + self._rank * share :][:share]
            rows = [self._data.read_validation(row, 1) for row in mine or [0]]
            tokens = np.concatenate([row.tokens for row in rows])
            segments = np.concatenate([row.segment_ids for row in rows])
            yield self._batch(tokens, segments if mine else np.zeros_like(segments), VALIDATION + start)

    def _batch(self, tokens: npt.NDArray[Any], segments: npt.NDArray[np.int32], step: int) -> Batch:
        rng = np.random.default_rng((self._config.seed, step, self._rank))
        kept = self._row_tokens
        example = self._config.objective.example(tokens[:, :kept], segments[:, :kept], rng)
        return Batch.of(example, self._device)
