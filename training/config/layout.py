"""How the processes of a run are laid out: so many along each axis, whose product is their number.

Ranks count the last axis first, so that the processes of one tensor group are neighbours on one node: they talk most.
Bytes are those that one process sends in a step, by the best known algorithms on a ring: Rajbhandari et al. 2020,
"ZeRO" (arXiv:1910.02054), section 7; Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2.
"""

from math import prod
from typing import NamedTuple

from training.config.run import Parallel, TrainConfig


class ProcessLayout(NamedTuple):
    """Processes along each axis."""

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


def layout_of(parallel: Parallel, workers: int) -> ProcessLayout:
    """What is left of the workers is `shard`. Raises ValueError with the arithmetic if that is no whole number."""
    given = {"replicate": parallel.replicate, "context": parallel.context, "tensor": parallel.tensor}
    each = prod(given.values())
    if workers < 1:
        raise ValueError(f"{workers} workers cannot train; give at least {each}")
    if workers % each:
        product = " x ".join(f"parallel.{name} {size}" for name, size in given.items() if size > 1)
        raise ValueError(
            f"{workers} workers / ({product}) = {workers / each:g}, which is no whole number of shards; give a "
            f"multiple of {each} workers, or a smaller axis"
        )
    return ProcessLayout(parallel.replicate, workers // each, parallel.context, parallel.tensor)


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
