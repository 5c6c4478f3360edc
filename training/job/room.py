"""Decides how many processes a training run begins with, and whether on GPUs: what was asked for and what is there."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import ray
import torch
from ray.exceptions import GetTimeoutError

from training.job.elastic import allowed_gpus

log = logging.getLogger(__name__)

Device = Literal["auto", "gpu", "cpu"]
PROBE_SECONDS = 60.0  # to find a GPU that is not in use, and to import torch


@dataclass(frozen=True)
class Room:
    """GPUs for a training on a `device`."""

    device: Device
    now: int
    most: int  # once the cluster's autoscaler has started all nodes that it may
    grows: bool  # nodes may join

    @property
    def on_gpus(self) -> bool:
        return self.device == "gpu" or (self.device == "auto" and self.most > 0)

    def worker_count(self, workers: int | None, least: int | None) -> int:
        """`workers` if given, else one per GPU, or 2 on CPUs.

        Raises ValueError for more than there can be GPUs, because two processes cannot train on one, unless `least` are
        there or `device` says to wait."""
        if not self.on_gpus:
            return workers or 2
        if not self.most and not self.grows:
            raise ValueError("torch sees no GPU here; install its CUDA build, or leave --device gpu out")
        if not workers and not self.now:
            raise ValueError("no GPU is up yet, so their number is not known; give --workers")
        if (needed := least or workers or 0) > self.most and not (self.device == "gpu" and self.grows):
            have = "is only 1 GPU" if self.most == 1 else f"are only {self.most} GPUs"
            wait = "--device gpu to wait for more, " if self.grows else ""
            raise ValueError(
                f"{needed} workers were asked for, but there {have} and each worker needs its own; give --workers "
                f"{self.most} or fewer, {wait}or --device cpu"
            )
        return workers or self.now

    def tell_beginning(self, sizes: Sequence[int]) -> None:
        """Logs that a training is on CPUs, or with how many workers it begins on GPUs; `sizes`: the numbers that it
        accepts, ascending."""
        first = max((size for size in sizes if size <= self.now), default=0)
        if not self.on_gpus:
            hint = "; --device gpu waits for one" if self.grows else ""
            log.info("training on CPUs, %s", "as asked" if self.device == "cpu" else f"because there is no GPU{hint}")
        elif not first:
            log.info("%d GPUs are up: waiting until there are %d", self.now, sizes[0])
        elif first < sizes[-1]:
            log.info("%d GPUs are up: beginning with %d of %d workers", self.now, first, sizes[-1])

    def torch_sees_gpus(self) -> bool:
        """Whether torch can use what Ray counts, as far as one node of a cluster tells now.

        Raises ValueError if it cannot and `device` asks for GPUs."""
        if not (self.on_gpus and self.grows and self.now):
            return self.on_gpus
        answer = ray.remote(num_gpus=1)(torch.cuda.is_available).remote()
        try:
            sees: bool = ray.get(answer, timeout=PROBE_SECONDS)
        except GetTimeoutError:  # all are in use
            ray.cancel(answer)
            return True
        problem = f"Ray counts {self.now} GPUs, and torch {torch.__version__} sees none on their node"
        if not sees and self.device == "gpu":
            raise ValueError(f"{problem}; install its CUDA build there, or leave --device gpu out")
        if not sees:
            log.warning("training on CPUs: %s", problem)
        return sees


def room_here(device: Device) -> Room:
    """The GPUs of this machine."""
    count = torch.cuda.device_count()
    return Room(device, count, count, grows=False)


def room_of_cluster(device: Device) -> Room:
    """The GPUs of the Ray that this process is connected to."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    now = int(resources.get("GPU", 0))
    return Room(device, now, max(now, allowed_gpus()), grows=True)
