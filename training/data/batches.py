"""Rows of token shards as batches for one process; any step can be read directly, and there is no state.

The rows of a step follow from the mix alone, and the draws of an objective from (seed, position of the row in the mix):
a resumed run, or one with another number of processes, sees exactly the examples of an uninterrupted one.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from curation.core.errors import InputError
from curation.tokens.shards import RowBatch, TokenData
from curation.tokens.step_rows import StepRows
from training.batch import Batch, Example, Kind, Row, SourceBatch, SpecialIds
from training.config.arithmetic import micro_batches, parts_of_rows
from training.config.run import TrainConfig
from training.parallel.context import shared
from training.parallel.mesh import Worker

log = logging.getLogger(__name__)
VALIDATION = 2**62  # validation rows have positions from here on
PATIENCE = 10.0  # seconds between two lines on the files that are read


class StepBatches(NamedTuple):
    """This process's rows of a step in micro-batches. With a problem, they are padding."""

    batches: list[Batch]
    problem: str = ""


class Draw(NamedTuple):
    """What is drawn of a row."""

    example: Example
    key: int  # of dropout


def spread(total: int, count: int) -> list[int]:
    """At most `count` of so many rows, evenly."""
    count = min(total, count)
    return [i * total // count for i in range(count)]


def draws(config: TrainConfig, ids: SpecialIds, rows: RowBatch, positions: Sequence[int], parts: int = 1) -> list[Draw]:
    """Of each row `parts` ones; a part begins with the last token of the one before it. `config` as for TokenBatches;
    `positions`: of the rows in the mix, or from VALIDATION on."""
    length = (config.sequence_length or rows.tokens.shape[1] - 1) // parts
    examples = []
    for tokens, segments, position in zip(rows.tokens, rows.segment_ids, positions, strict=True):
        for part in range(parts):
            own = slice(part * length, (part + 1) * length + 1)
            row = Row(tokens[own], segments[own], config.documents_apart, ids)
            rng = np.random.default_rng((config.seed, position, part))
            example = config.objective.example(row, rng)
            examples.append(Draw(example, int(rng.integers(2**63))))
    return examples


def together(config: TrainConfig) -> bool:
    """Whether places see all before them, so that a model needs no mask."""
    return config.objective.kind is Kind.PLAIN and not config.documents_apart


class TokenBatches:
    """The rows of one process, passed through the config's objective; `config` as resolved by `training.data.check`."""

    def __init__(self, data: TokenData, config: TrainConfig, rows: StepRows, ids: SpecialIds, worker: Worker) -> None:
        self._data = data
        self._config = config
        self._rows = rows
        self._ids = ids
        self._worker = worker
        self._length = config.sequence_length or data.sequence_length
        self._together = together(config)

    def training(self, step: int) -> StepBatches:
        """This process's share of the global batch: batch_rows over the layout's readers."""
        positions = self._rows.positions(step)
        share = len(positions) // self._worker.layout.readers
        own = positions[self._worker.reader * share :][:share]
        parts = parts_of_rows(self._config, step)
        count = micro_batches(self._config, share)
        try:
            examples = draws(self._config, self._ids, self._data.read(own.start, share), own, parts)
        except InputError as error:
            return StepBatches(self._cut(self._padding(share * parts, parts), count), str(error))
        return StepBatches(self._cut(examples, count, drops=True))

    def until_checked(self, step: int) -> None:
        """Returns once the files of a step and of the validation rows are checked against their checksums, in every
        process. What is wrong with one is told where its rows are read."""
        positions = self._rows.positions(step)
        chosen = spread(self._data.validation_rows, self._config.validation_rows)
        while left := max(self._worker.gather(self._data.unchecked(positions, chosen, PATIENCE))):
            if self._worker.first:
                log.info("reading token files against their checksums: %.2f GB before the first step", left / 1e9)

    def validation(self) -> Iterator[SourceBatch]:
        """At most `validation_rows` rows, spread evenly over the split, in batches like those of a step.

        Every process gets the same number of batches, because all must run a sharded model together. A process without
        a row left gets padding.
        """
        chosen = spread(self._data.validation_rows, self._config.validation_rows)
        count = len(chosen)
        share = self._config.batch_rows // self._worker.layout.readers
        cut = micro_batches(self._config, share)
        for start in range(0, count, self._config.batch_rows):
            mine = chosen[start + self._worker.reader * share :][:share]
            rows = [self._data.read_validation(row, 1) for row in mine]
            examples = [
                example
                for row, read in zip(mine, rows, strict=True)
                for example in draws(self._config, self._ids, read, [VALIDATION + row])
            ]
            sources = [*(read.sources[0] for read in rows), *[""] * (share - len(mine))]
            each = share // cut
            for number, batch in enumerate(self._cut([*examples, *self._padding(share - len(mine))], cut)):
                yield SourceBatch(sources[number * each :][:each], batch)

    def _padding(self, count: int, parts: int = 1) -> list[Draw]:
        """Of rows without tokens."""
        size = self._length // parts + 1
        tokens = np.full(size, self._ids.padding, np.uint32)
        row = Row(tokens, np.zeros(size, np.int32), self._config.documents_apart, self._ids)
        return [Draw(self._config.objective.example(row, np.random.default_rng(0)), 0)] * count

    def _cut(self, drawn: Sequence[Draw], count: int, *, drops: bool = False) -> list[Batch]:
        """Into so many micro-batches; `drops`: with the keys of dropout."""
        examples, keys = zip(*drawn, strict=True)
        objective = self._config.objective
        each = len(examples) // count
        batches = [
            Batch.of(
                examples[start : start + each],
                together=self._together,
                keys=keys[start : start + each] if drops else None,
                label_smoothing=objective.label_smoothing,
                z_loss=objective.z_loss,
            )
            for start in range(0, len(examples), each)
        ]
        worker = self._worker
        batches = [shared(batch, worker.part_of_rows, worker.layout.context) for batch in batches]
        return [batch.pinned() for batch in batches] if worker.device.type == "cuda" else batches
