"""Ray, started only when there is work for it, and never the one that somebody else runs on this machine."""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import ray
from ray.exceptions import AuthenticationError

from curation.core.credentials import masked
from curation.core.errors import InputError, StageError
from curation.core.ray_address import require_listener
from curation.engine.run.local_ray import local_resources, own_sigterm, private_ray
from curation.engine.run.ray_metrics import endpoint
from curation.engine.run.resources import alive_nodes

log = logging.getLogger(__name__)

STORE_BYTES = 1 << 30  # object store of a local Ray: blocks stay inside their task, so little passes through it


class Session:
    """A context in which `start` may be called any number of times; leaving it stops a local Ray.

    `check` is called once, after `connect` to a named cluster, and raises where its nodes lack something.
    """

    def __init__(
        self, ray_address: str | None = None, cpus: int | None = None, check: Callable[[], None] = lambda: None
    ) -> None:
        self._ray_address, self._cpus, self._check = ray_address, cpus, check
        self._checked = False
        self._ray = ExitStack()

    def connect(self) -> None:
        """Connects to the named cluster, if there is one; a Ray on this machine starts only with the work."""
        if self._ray_address and not self._checked:
            self.start()
            self._check()
            self._checked = True

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that work would run on, each with its `Resources`; of this machine without starting Ray on it."""
        self.connect()
        return alive_nodes() or [{"Resources": local_resources(num_cpus=self._cpus, object_store_memory=STORE_BYTES)}]

    def start(self) -> None:
        """Connects to the named cluster, or starts a Ray of its own on this machine."""
        if ray.is_initialized():
            return
        with own_sigterm():
            if self._ray_address:
                log.info(f"connecting to Ray at {masked(self._ray_address)}")
                self._connect(self._ray_address)
            else:
                log.info("starting Ray on this machine")
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
        require_listener(ray_address)
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
