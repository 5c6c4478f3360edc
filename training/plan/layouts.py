"""Every layout of so many devices that `winnow train` takes and that fits the memory, and how long a step of it takes.

Times compare layouts and promise nothing: arithmetic at the device's peak, with what is computed again, then waiting in
a pipeline, then what is sent, each axis over the link that it crosses. Weights of shards and gradients of copies are on
their way while blocks compute, so only what takes longer than that counts; a matrix that is split, rows and stages wait
for what is sent. That small matrices are slower is not in it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import inf, prod
from typing import Any, Literal

from training.config.arithmetic import check_workers, micro_batches
from training.config.layout import ProcessLayout, bubble, check_length, layout_of
from training.config.run import TrainConfig
from training.memory import USABLE, ProcessMemory, StepMemory
from training.metrics.devices import Accelerator, Network
from training.metrics.flops import row_flops
from training.parallel.costs import bytes_sent
from training.preflight import check_model, compute_of, whole_model

NODE = 8  # devices
AXES = ("pipeline", "replicate", "context", "tensor")  # that are chosen; what is left is `shard`
# Arithmetic beside that of a step without recompute. Full: a forward pass again, a third of a step. Selective computes
# no matrix product again; its share is what it took of time on an H200, compiled, at 350m (benchmarks/README.md).
AGAIN: dict[Literal["none", "selective", "full"], float] = {"none": 0.0, "selective": 0.04, "full": 1 / 3}


@dataclass(frozen=True)
class CandidateLayout:
    """A layout with the fastest of its micro-batches that fits, at the least recompute."""

    layout: ProcessLayout
    zero: int
    recompute: str
    micro_batch_rows: int
    memory: ProcessMemory  # bytes of a process at most
    arithmetic: float  # seconds of a step: computing,
    waiting: float  # in the pipeline,
    sending: float  # and on the links

    @property
    def seconds(self) -> float:
        return self.arithmetic + self.waiting + self.sending

    def record(self) -> dict[str, Any]:
        """For JSON: bytes, and seconds at the device's peak."""
        sizes = self.memory._asdict() | {"total": self.memory.total}
        fields = {name: value for name, value in vars(self).items() if name not in ("layout", "memory")}
        own = {"layout": self.layout._asdict(), **fields, "seconds": self.seconds}
        return {**own, "memory": sizes, "settings": self.settings}

    @property
    def settings(self) -> str:
        """As options of `winnow train`."""
        axes = [f"parallel.{name}={size}" for name in AXES if (size := getattr(self.layout, name)) > 1]
        options = (f"parallel.zero={self.zero}", f"micro_batch_rows={self.micro_batch_rows}")
        return " ".join([*axes, *options, f"recompute={self.recompute}"])


class LayoutSearch:
    """Over layouts of a config, as resolved by `training.data.check`; its own layout is not looked at."""

    def __init__(self, config: TrainConfig, gpus: int, device: Accelerator, between: Network) -> None:
        assert config.sequence_length
        compute, self._size = compute_of(config, on_gpu=True)
        self._config = config
        self._gpus = gpus
        self._device = device
        self._between = between
        self._model = whole_model(config)
        self._memory = StepMemory(config, compute, on_gpu=True)
        shape = config.objective.shape(config.sequence_length)
        self._seconds = config.batch_rows * row_flops(self._model, shape, halved=False) / (gpus * device.bf16)
        self.problem = ""  # of the layout that takes the least memory, or else of the first one that was refused
        self._least = inf

    def found(self) -> list[CandidateLayout]:
        """Those that fit, the fastest first; of equally fast ones those with fewer axes."""
        fitting = [one for parallel in self._axes() for one in self._fitting(parallel)]
        return sorted(fitting, key=lambda one: (one.seconds, -one.layout.shard, -one.zero))

    def _axes(self) -> Iterator[TrainConfig]:
        """Axes, tensor within a node, and stages of ZeRO where there are shards; whole rows for each process."""
        sizes = [size for size in range(1, self._gpus + 1) if self._gpus % size == 0]
        inside = [size for size in sizes if size <= NODE]
        for chosen in product(sizes, sizes, sizes, inside):
            shard, rest = divmod(self._gpus, prod(chosen))
            axes: dict[str, Any] = dict(zip(AXES, chosen, strict=True))
            for zero in () if rest else (3, 2, 1) if shard * axes["context"] > 1 else (3,):
                yield replace(self._config, parallel=replace(self._config.parallel, zero=zero, **axes))

    def _fitting(self, config: TrainConfig) -> Iterator[CandidateLayout]:
        layout = layout_of(config.parallel, self._gpus)
        own, rest = divmod(config.batch_rows, layout.readers)
        cuts = [own >> power for power in range(own.bit_length()) if own % (own >> power) == 0]
        options = [replace(config, micro_batch_rows=rows) for rows in cuts if not rest]
        options = [option for option in options if not self._refused(check_workers, option, self._gpus)]
        for how in AGAIN if options else ():
            tried = [replace(option, recompute=how) for option in options]
            if self._refused(self._check, tried[0]):
                continue
            fitting = [self._candidate(option, layout) for option in tried]
            if best := min((one for one in fitting if one), key=lambda one: one.seconds, default=None):
                yield best
                return

    def _check(self, config: TrainConfig) -> None:
        assert config.sequence_length
        for parts in {1, *(stage.parts for stage in config.length_stages)}:
            check_length(config, config.sequence_length // parts)
        check_model(config, self._model, self._gpus)

    def _refused(self, check: Callable[..., None], *arguments: object) -> bool:
        try:
            check(*arguments)
        except ValueError as error:
            self.problem = self.problem or str(error)
            return True
        return False

    def _candidate(self, config: TrainConfig, layout: ProcessLayout) -> CandidateLayout | None:
        memory = self._memory.of(config, layout)
        if memory.total > USABLE * self._device.memory:
            if memory.total < self._least:
                self._least = memory.total
                self.problem = (
                    f"with {layout} and recompute {config.recompute} a process takes {memory.total / 1e9:,.1f} GB, and "
                    f"{USABLE:.0%} of a device's {self._device.memory / 1e9:,.0f} GB may be used"
                )
            return None
        busy = self._seconds * (1 + AGAIN[config.recompute])
        share = bubble(layout.pipeline, micro_batches(config, config.batch_rows // layout.readers))
        waiting = busy * share / (1 - share)
        sent = bytes_sent(config, self._model, layout, self._size)
        taken = {name: sent[name] / rate for name, rate in self._rates(layout).items()}
        beside = max(taken.pop("shard") + taken.pop("replicate") - busy, 0.0)
        sending = sum(taken.values()) + beside
        rows = config.micro_batch_rows or 1
        return CandidateLayout(layout, config.parallel.zero, config.recompute, rows, memory, busy, waiting, sending)

    def _rates(self, layout: ProcessLayout) -> dict[str, float]:
        """Bytes/s along each axis: ranks count tensor first, and what reaches beyond a node crosses the network."""
        rates: dict[str, float] = {}
        reach = 1
        for name in ("tensor", "context", "shard", "replicate", "pipeline"):
            reach *= getattr(layout, name)
            rates[name] = self._device.link if reach <= NODE else self._between.rate
        return rates
