"""Ray, started only when there is work for it, and never the one that somebody else runs on this machine."""

import logging
import os
from types import TracebackType

import ray

from curation.core.errors import InputError, StageError
from curation.core.sigterm import own_sigterm

START_SECONDS = 180  # Ray's own 30 are too few on a machine that is busy
STORE_BYTES = 1 << 30  # object store of a local Ray: blocks stay inside their task, so little passes through it


class Session:
    """A context in which `start` may be called any number of times; leaving it stops a local Ray."""

    def __init__(self, ray_address: str | None = None, cpus: int | None = None) -> None:
        self._ray_address, self._cpus = ray_address, cpus
        self._started = False

    def start(self) -> None:
        """Connects to the named cluster, or starts a Ray of its own on this machine."""
        if self._started or ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        with own_sigterm():
            self._connect_or_start()
        self._started = True

    def _connect_or_start(self) -> None:
        if self._ray_address:
            _connect(self._ray_address)
        else:
            # Ray 2.60 otherwise writes a token into the home folder for a cluster that nobody else can reach.
            os.environ.setdefault("RAY_AUTH_MODE", "disabled")
            os.environ.setdefault("RAY_raylet_start_wait_time_s", str(START_SECONDS))
            _start_local(self._cpus)

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._started:
            ray.shutdown()
            self._started = False


def _connect(ray_address: str) -> None:
    try:
        ray.init(address=ray_address, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"no Ray cluster answers at {ray_address}: {error}") from error


def _start_local(cpus: int | None) -> None:
    try:
        ray.init(
            address="local",
            num_cpus=cpus,
            include_dashboard=False,
            object_store_memory=STORE_BYTES,
            logging_level=logging.ERROR,
            log_to_driver=False,
        )
    except Exception as error:  # Ray raises a bare Exception where a process of its own does not come up
        raise StageError(f"Ray did not start on this machine: {error}; run the same command again") from error
