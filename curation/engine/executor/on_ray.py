"""Runs units on Ray: a named cluster, or a Ray of its own on this machine, started only when there is work for it.

All that is peculiar to Ray lies behind it, in a few files of this folder: `attempts` tries units again,
over one execution of `ray_data`; `local_ray` starts a Ray that is closed to others; `ray_nodes` and
`ray_metrics` are what their names say; `ray_private` holds what Ray does not promise to keep.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import ray
from ray.exceptions import AuthenticationError

from curation.core.component import Components
from curation.core.credentials import masked
from curation.core.energy import Reading
from curation.core.errors import InputError, StageError
from curation.core.needs import Needs
from curation.core.ray_address import require_listener
from curation.engine.executor import attempts
from curation.engine.executor.executor import Listener
from curation.engine.executor.failures import Failure
from curation.engine.executor.local_ray import private_ray
from curation.engine.executor.node_meters import NodeMeters
from curation.engine.executor.ray_metrics import RunMetrics, endpoint
from curation.engine.executor.ray_nodes import alive_nodes, check_resources, cluster_cores
from curation.engine.executor.ray_private import local_resources, own_sigterm
from curation.engine.executor.work import Unit, Work
from curation.engine.executor.worker_imports import own_packages

log = logging.getLogger(__name__)

STORE_BYTES = 1 << 30  # object store of a local Ray: blocks stay inside their task, so little passes through it


class OnRay:
    """The cluster at `ray_address`, or a Ray with `cpus` cores (None: all) of this machine.

    `check_nodes` is called once, when a named cluster is connected, and raises where its nodes lack something.
    """

    def __init__(
        self, ray_address: str | None = None, cpus: int | None = None, check_nodes: Callable[[], None] = lambda: None
    ) -> None:
        self._ray_address = ray_address
        self._cpus = cpus
        self._check_nodes = check_nodes
        self._checked = False
        self._ray = ExitStack()

    @cached_property
    def _meters(self) -> NodeMeters:
        return self._ray.enter_context(NodeMeters())

    @property
    def cores(self) -> int:
        return cluster_cores()

    def check(self, components: Components) -> None:
        """Connects to a named cluster; a Ray on this machine starts only with the work."""
        stating = tuple(entry for entry in components if entry[1].needs() != Needs())
        if stating:
            check_resources(stating, self._nodes())
        self._connect()

    def start(self) -> None:
        """Connects to the named cluster, or starts a Ray of its own on this machine."""
        if ray.is_initialized():
            return
        with own_sigterm():
            if self._ray_address:
                log.info(f"connecting to Ray at {masked(self._ray_address)}")
                self._reach(self._ray_address)
            else:
                log.info("starting Ray on this machine")
                self._start_local()
        if (url := endpoint()) is not None:
            log.info(f"metrics for Prometheus at {url}")

    def run(self, work: Work, units: Sequence[Unit], listener: Listener) -> list[Failure]:
        return attempts.run(work, units, listener)

    def energy(self) -> Reading:
        """Of all machines of the cluster."""
        return self._meters.read()

    def metrics(self, run: str) -> RunMetrics:
        return RunMetrics(run)

    def __enter__(self) -> "OnRay":
        return self

    def __exit__(self, *raised: Any) -> None:
        self._ray.__exit__(*raised)

    def _connect(self) -> None:
        if self._ray_address and not self._checked:
            self.start()
            self._check_nodes()
            self._checked = True

    def _nodes(self) -> list[dict[str, Any]]:
        """The nodes that work would run on, each with its `Resources`; of this machine without starting Ray on it."""
        self._connect()
        return alive_nodes() or [{"Resources": local_resources(num_cpus=self._cpus, object_store_memory=STORE_BYTES)}]

    def _reach(self, ray_address: str) -> None:
        """With the user's own settings, authentication included."""
        require_listener(ray_address)
        try:
            with own_packages() as own:
                ray.init(address=ray_address, logging_level=logging.ERROR, **own)
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
        except InputError:
            raise
        except Exception as error:  # Ray 2.60 raises a bare Exception where a process of its own is not up
            raise StageError(f"Ray did not start on this machine: {error}; run the same command again") from error
