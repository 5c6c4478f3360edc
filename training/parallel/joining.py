"""Joins the group of processes that torchrun, or another launcher with its variables, prepared."""

import logging
import os
from datetime import timedelta

import torch.distributed as dist
from torch.distributed.rendezvous import rendezvous

from curation.core.errors import InputError
from curation.core.threads import repeating

log = logging.getLogger(__name__)
PATIENCE = timedelta(seconds=300)  # for processes that import torch on a busy disk
EVERY = 30.0  # seconds between two lines on it
# For connections between processes of one machine; by default torch and NCCL use the interface of the host's name.
LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}
COLLECTIVE = timedelta(minutes=30)  # torch's own for gloo; a process that stands still is ended by `training.hang`


def join_group(backend: str) -> None:
    """Returns once all processes are there. Raises InputError if they do not come, or if the variables are wrong."""
    world_size = _number("WORLD_SIZE", 1, 1 << 20)
    rank = _number("RANK", 0, world_size - 1)
    place = f"{os.environ.get('MASTER_ADDR', '')}:{_number('MASTER_PORT', 1, 65535)}"
    if place.startswith(":"):
        raise InputError("MASTER_ADDR is not set; start the processes with torchrun, which sets it")
    log.info("joining a group of %d at %s, for at most %d s", world_size, place, PATIENCE.total_seconds())
    try:
        with repeating(_tell_waiting, EVERY, "winnow-joining"):
            store, rank, world_size = next(iter(rendezvous("env://", rank, world_size, timeout=PATIENCE)))
            dist.init_process_group(backend, store=store, rank=rank, world_size=world_size, timeout=COLLECTIVE)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"process {rank} of {world_size} cannot join the others at {place}: {str(error).splitlines()[0]}; see "
            "whether all were started, and whether another program uses the port"
        ) from error


def _tell_waiting() -> None:
    log.info("waiting for the other processes")


def _number(name: str, least: int, most: int) -> int:
    """The value of a variable of the environment."""
    value = os.environ.get(name, "")
    if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
        raise InputError(
            f"{name} is {value!r} in the environment, not a number from {least} to {most}; start the processes with "
            "torchrun, which sets it, or unset TORCHELASTIC_RUN_ID to train in one process"
        )
    return int(value)
