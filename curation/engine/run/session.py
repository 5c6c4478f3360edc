"""Ray, started only when there is work for it, and never the one that somebody else runs on this machine."""

import logging
from contextlib import ExitStack
from types import TracebackType

import ray
from ray.exceptions import AuthenticationError

from curation.core.errors import InputError, StageError
from curation.engine.run.local_ray import own_sigterm, private_ray
from curation.engine.run.ray_metrics import endpoint

log = logging.getLogger(__name__)

STORE_BYTES = 1 << 30  # object store of a local Ray: blocks stay inside their task, so little passes through it


class Session:
    """A context in which `start` may be called any number of times; leaving it stops a local Ray."""

    def __init__(self, ray_address: str | None = None, cpus: int | None = None) -> None:
        self._ray_address, self._cpus = ray_address, cpus
        self._ray = ExitStack()

    def start(self) -> None:
        """Connects to the named cluster, or starts a Ray of its own on this machine."""
        if ray.is_initialized():
            return
        with own_sigterm():
            if self._ray_address:
                self._connect(self._ray_address)
            else:
                self._start_local()
        if (url := endpoint()) is not None:
            log.info(f"metrics for Prometheus at {url}")

    def __enter__(self) -> "Session":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ray.__exit__(kind, error, trace)

    def _connect(self, ray_address: str) -> None:
        """With the user's own settings, authentication included."""
        try:
            ray.init(address=ray_address, logging_level=logging.ERROR)
        except (AuthenticationError, ConnectionError, ValueError, RuntimeError) as error:
            raise InputError(f"no Ray cluster answers at {ray_address}: {error}") from error
        self._ray.callback(ray.shutdown)

    def _start_local(self) -> None:
        options = {
            "num_cpus": self._cpus,
            "include_dashboard": False,
            "object_store_memory": STORE_BYTES,
            "logging_level": logging.ERROR,
            "log_to_driver": False,
        }
        try:
            self._ray.enter_context(private_ray(**options))
        except AuthenticationError as error:
            raise InputError(f"Ray cannot read the token that the environment names: {error}") from error
        except Exception as error:  # Ray raises a bare Exception where a process of its own does not come up
            raise StageError(f"Ray did not start on this machine: {error}; run the same command again") from error
