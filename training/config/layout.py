"""How the processes of a run are laid out: so many along each axis, whose product is their number.

Ranks count the last axis first, so that the processes of one tensor group are neighbours on one node: they talk most.
Bytes are those that one process sends in a step, by the best known algorithms on a ring: Rajbhandari et al. 2020,
"ZeRO" (arXiv:1910.02054), section 7; Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2.
"""

from math import prod
from typing import NamedTuple

from training.config.run import Parallel, TrainConfig

V_SHAPED = ("zbv", "dualpipev")
SPLIT = ("interleaved_zero_bubble", *V_SHAPED)  # schedules that take a backward pass apart, inputs before weights


class ProcessLayout(NamedTuple):
    """Processes along each axis."""

    pipeline: int  # parts of the layers
    replicate: int  # copies of the whole model
    shard: int  # parts of weights, gradients and moments that are gathered where they are used
    context: int  # parts of each row
    tensor: int  # parts of each matrix

    @property
    def readers(self) -> int:
        """Groups of processes that read rows of their own."""
        return self.replicate * self.shard

    @property
    def workers(self) -> int:
        return prod(self)

    def __str__(self) -> str:
        return " x ".join(f"{name} {size}" for name, size in self._asdict().items() if size > 1) or "one process"


def least_workers(parallel: Parallel) -> int:
    """Those that the axes take whose sizes are given."""
    return parallel.pipeline * parallel.replicate * parallel.context * parallel.tensor


def layout_of(parallel: Parallel, workers: int) -> ProcessLayout:
    """What is left of the workers is `shard`. Raises ValueError with the arithmetic if that is no whole number."""
    given = {name: getattr(parallel, name) for name in ProcessLayout._fields if name != "shard"}
    each = least_workers(parallel)
    if workers < 1:
        raise ValueError(f"{workers} workers cannot train; give at least {each}")
    if workers % each:
        product = " x ".join(f"parallel.{name} {size}" for name, size in given.items() if size > 1)
        raise ValueError(
            f"{workers} workers / ({product}) = {workers / each:g}, which is no whole number of shards; give a "
            f"multiple of {each} workers, or a smaller axis"
        )
    return ProcessLayout(shard=workers // each, **given)


def stages_of(schedule: str, processes: int) -> int:
    """Into how many stages a pipeline's schedule cuts a model."""
    return processes if schedule in ("gpipe", "1f1b") else 2 * processes


def parts_of(schedule: str, processes: int, rank: int) -> list[int]:
    """The stages that process `rank` of a pipeline has, ascending; in a V the first one also has the last stage."""
    if stages_of(schedule, processes) == processes:
        return [rank]
    return [rank, 2 * processes - 1 - rank if schedule in V_SHAPED else processes + rank]


def bubble(processes: int, micro_batches: int) -> float:
    """The share of time in which a process of a pipeline waits, with one stage each and without zero bubbles.

    Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2.1."""
    return (processes - 1) / (micro_batches + processes - 1)


def check_rounds(config: TrainConfig, micro_batches: int) -> None:
    """Raises ValueError, with the arithmetic, for so many micro-batches if a pipeline's schedule does not take them."""
    processes = config.parallel.pipeline
    schedule = config.parallel.schedule
    stages = stages_of(schedule, processes)
    least = stages if schedule == "dualpipev" else processes
    if processes > 1 and micro_batches < least:
        raise ValueError(
            f"{micro_batches} micro-batches do not fill a pipeline of {processes} processes with the schedule "
            f"{schedule}, which takes {least} at least; give smaller micro_batch_rows"
        )
    if processes > 1 and schedule.startswith("interleaved") and micro_batches % processes:
        raise ValueError(
            f"{micro_batches} micro-batches are no multiple of the {processes} processes of the pipeline, which the "
            f"schedule {schedule} takes; give other micro_batch_rows"
        )


def check_length(config: TrainConfig, length: int) -> None:
    """Raises ValueError if rows of `length` places do not fit the parts into which the layout cuts them."""
    parallel = config.parallel
    parts = (2 * parallel.context if parallel.context > 1 else 1) * parallel.tensor
    if length % parts:
        raise ValueError(
            f"rows of {length:,} tokens cannot be cut into {parts} equal parts (parallel.tensor {parallel.tensor}, and "
            f"2 for each of parallel.context {parallel.context} where that is not 1); give a sequence_length that "
            f"{parts} divides"
        )
