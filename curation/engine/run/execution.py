"""Runs one step of a stage over its units as a single fused Ray Data execution: read task, map, sink, one task a unit.

`override_num_blocks` pins one read task per unit; otherwise Ray splits their output until there are 200 blocks. Each
block also carries its unit's number, and the sink refuses a block of another unit.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import ray
from ray.data import Datasource, ReadTask
from ray.data.block import Block, BlockMetadata
from ray.data.datasource import Datasink
from ray.exceptions import RayError

from curation.core.errors import StageError, WinnowError
from curation.engine.run.work import Unit, Work

WAVE = 4096  # units in one execution: bounds the driver's memory
BLOCK_BYTES = 32 << 20  # of rows between read, map and write within a task
UNIT = "_unit"


def run(work: Work, units: Sequence[Unit]) -> None:
    """Reads, maps and writes every unit. Raises StageError with the first cause when one fails."""
    context = ray.data.DataContext.get_current()
    context.target_max_block_size = BLOCK_BYTES
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.raise_original_map_exception = True  # else a worker's error arrives without its type and message
    # Ray Data prints a failure's traceback several times; the error raised here carries it once.
    logging.getLogger("ray.data").setLevel(logging.CRITICAL + 1)
    for start in range(0, len(units), WAVE):
        wave = units[start : start + WAVE]
        try:
            dataset = ray.data.read_datasource(_UnitSource(work, wave), override_num_blocks=len(wave))
            dataset = dataset.map_batches(partial(_transform, work), batch_size=None, batch_format="pyarrow")
            dataset.write_datasink(_UnitSink(work, [unit.number for unit in wave]))
        except (RayError, WinnowError) as error:
            raise root_cause(error) from error


class _UnitSource(Datasource):
    def __init__(self, work: Work, units: Sequence[Unit]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._work, self._units = work, units

    def get_read_tasks(self, parallelism: int, *_: object, **__: object) -> list[ReadTask]:
        metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
        return [ReadTask(partial(_read, self._work, unit), metadata) for unit in self._units]

    def estimate_inmemory_data_size(self) -> int | None:
        return None


class _UnitSink(Datasink[None]):
    def __init__(self, work: Work, numbers: list[int]) -> None:
        self._work, self._numbers = work, numbers

    def write(self, blocks: Iterable[Block], ctx: Any) -> None:
        # An empty unit has no rows to carry its number, so the task's index names it.
        number = self._numbers[ctx.task_idx]
        self._work.write(number, _of_unit(blocks, number))


def _read(work: Work, unit: Unit) -> Iterator[pa.Table]:
    for table in work.read(unit):
        if table.num_rows:
            yield table.append_column(UNIT, pa.array(np.full(table.num_rows, unit.number, np.int64)))


def _transform(work: Work, table: pa.Table) -> pa.Table:
    number = table[UNIT][0].as_py()
    result = work.transform(number, table.drop_columns([UNIT]))
    return result.append_column(UNIT, pa.array(np.full(result.num_rows, number, np.int64)))


def _of_unit(blocks: Iterable[pa.Table], number: int) -> Iterator[pa.Table]:
    for table in blocks:
        if table.num_rows:
            assert table[UNIT][0].as_py() == number, f"block of another unit reached unit {number}"
            yield table.drop_columns([UNIT])


def root_cause(error: BaseException) -> WinnowError:
    """The WinnowError that a worker raised, else a StageError that names the innermost cause."""
    cause: BaseException = error
    while isinstance(inner := getattr(cause, "cause", None) or cause.__cause__, Exception) and inner is not cause:
        cause = inner
    if isinstance(cause, WinnowError):
        return type(cause)(str(cause).split("\nFailed to apply UDF")[0])
    # Ray adds its advice to the message, of an OSError as if it were a file's name.
    text = str(cause).split("Failed to apply UDF")[0].rstrip(" :'\"\n").splitlines()
    return StageError(f"a task failed: {type(cause).__name__}: {text[0] if text else ''}", str(error))
