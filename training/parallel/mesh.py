"""The processes of one run: joins the group that a launcher prepared, or starts a group of one.

Ray Train has started the group before the loop begins, `torchrun` has set addresses for it, and a plain process has
neither. The loop gets the same in all three cases: a group, a device and a mesh.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from curation.core.errors import InputError
from training.config.layout import ProcessLayout, layout_of, parts_of, stages_of
from training.config.run import Parallel
from training.parallel.joining import join_group

T = TypeVar("T")


class RefusedError(InputError):
    """What every process of a run raises together, because to start them again would not help."""


class NotFiniteError(RefusedError, FloatingPointError):
    """The loss or the gradient is infinite or NaN."""


@dataclass(frozen=True)
class Worker:
    """This process and its group."""

    rank: int
    world_size: int
    device: torch.device
    layout: ProcessLayout
    data: DeviceMesh  # axes "replicate" and "split", which is shard and context: where gradients are added up
    context: DeviceMesh | None  # processes that share rows, if there are several
    tensor: DeviceMesh  # processes that share matrices
    pipeline: DeviceMesh  # processes that share layers
    ends: int  # which of these has the last layers

    @property
    def reader(self) -> int:
        """Which of the layout's readers this process belongs to."""
        return self.rank % self._of_stage // (self.layout.context * self.layout.tensor)

    @property
    def part_of_rows(self) -> int:
        """Which part of its rows this process has, of the layout's `context`."""
        return self.rank // self.layout.tensor % self.layout.context

    @property
    def speaks(self) -> bool:
        """Whether sums over all processes count what this one found: those of a tensor group find the same, and of a
        pipeline the one that has the last layers finds losses."""
        return self.rank % self.layout.tensor == 0 and self.rank // self._of_stage == self.ends

    @property
    def first_of_stage(self) -> bool:
        """Whether this process writes what all those hold that have the same layers."""
        return self.rank % self._of_stage == 0

    @property
    def _of_stage(self) -> int:
        return self.world_size // self.layout.pipeline

    @property
    def first(self) -> bool:
        """Whether this process writes the files that are written once per run."""
        return self.rank == 0

    def total(self, *values: float) -> list[float]:
        """Each value summed over all processes, in float64. Every process must call it and gets the same sums."""
        summed: Tensor = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(summed)
        return [float(value) for value in summed.tolist()]

    def wait(self) -> None:
        """Returns when all processes have called it."""
        self.total(0.0)

    def gather(self, value: T) -> list[T]:
        """Each process's value, by rank. Every process must call it and gets the same list."""
        values: list[T] = [value] * self.world_size
        dist.all_gather_object(values, value)
        return values

    def first_of(self, problem: str) -> str:
        """The first process's problem that is not empty, or "". Every process must call it and gets the same."""
        return next(filter(None, self.gather(problem)), "")

    def agree(self, problem: str) -> None:
        """Raises RefusedError in every process if one of them has a problem. Every process must call it."""
        if first := self.first_of(problem):
            raise RefusedError(first)

    def agreed(self, make: Callable[[], T]) -> T:
        """What `make` gives in this process. Raises RefusedError in every one if it raises ValueError in one of them,
        so it may not wait for others. Every process must call it."""
        made: list[T] = []
        problem = ""
        try:
            made.append(make())
        except ValueError as error:
            problem = str(error)
        self.agree(problem)
        return made[0]


@contextmanager
def worker_group(parallel: Parallel | None = None) -> Iterator[Worker]:
    """This process as a Worker, one of those that are laid out so. A group that is started here ends with the context.

    Raises RefusedError if they cannot be."""
    started_here = not dist.is_initialized()
    if started_here:
        _start_group()
    try:
        yield _worker(parallel or Parallel())
    finally:
        if started_here:
            dist.destroy_process_group()


def backend(*, gpu: bool) -> str:
    """Of a process group. Checkpoints move CPU tensors even if training is on GPUs."""
    return "cpu:gloo,cuda:nccl" if gpu else "gloo"


def _start_group() -> None:
    gpu = torch.cuda.is_available()
    if not dist.is_torchelastic_launched():
        store = dist.HashStore()  # type: ignore[attr-defined]  # in this process only: no port is opened
        dist.init_process_group(backend(gpu=gpu), store=store, rank=0, world_size=1)
        return
    if gpu:
        torch.cuda.set_device(dist.get_node_local_rank())
    join_group(backend(gpu=gpu))


def _worker(parallel: Parallel) -> Worker:
    gpu = torch.cuda.is_available()
    device = torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")
    try:
        layout = layout_of(parallel, dist.get_world_size())
    except ValueError as error:
        raise RefusedError(str(error)) from None
    shape = (layout.pipeline, layout.replicate, layout.shard * layout.context, layout.tensor)
    mesh = init_device_mesh(device.type, shape, mesh_dim_names=("pipeline", "replicate", "split", "tensor"))
    context = None
    if layout.context > 1:
        shape = (layout.pipeline, layout.readers, layout.context, layout.tensor)
        names = ("pipeline", "readers", "context", "tensor")
        context = init_device_mesh(device.type, shape, mesh_dim_names=names)["context"]
    data = mesh["replicate", "split"]
    rank = dist.get_rank()
    last = stages_of(parallel.schedule, layout.pipeline) - 1
    has = (last in parts_of(parallel.schedule, layout.pipeline, one) for one in range(layout.pipeline))
    ends = [*has].index(True)
    return Worker(rank, layout.workers, device, layout, data, context, mesh["tensor"], mesh["pipeline"], ends)
