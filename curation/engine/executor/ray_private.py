"""Everything private to Ray that winnow uses outside of Ray Train, each thing with why; all tried on Ray 2.60.

`tests/curation/engine/executor/test_ray_private.py` fails where another Ray has changed one of them.
"""

import ctypes
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ray._common.utils import get_default_system_temp_dir
from ray._private import ray_constants, utils
from ray._private.resource_and_label_spec import ResourceAndLabelSpec
from ray._raylet import AuthenticationTokenLoader, Config  # type: ignore[attr-defined]

from curation.core.threads import repeating

if TYPE_CHECKING:  # slow to import, and a training needs none of it
    from ray.data import DataContext, Dataset

TRIED_ON = "2.60"

# The label by which Ray knows a node: the only way to keep tasks off one. 2.60.
NODE_LABEL = "ray.io/node-id"

# The log to which Ray Data writes the error of a task whose process died; it tells it nowhere else. 2.60.
TASK_LOG = logging.getLogger("ray.data._internal.execution.streaming_executor_state")

# Environment variables of Ray's compiled part, each with the value that a Ray of winnow's own gets unless the user
# has set another. 2.60.
LOCAL_SETTINGS = {
    "RAY_raylet_start_wait_time_s": "180",  # Ray's own 30 are too few on a machine that is busy
    "RAY_enable_metrics_collection": "0",  # the port of the metrics asks for no token
}


def quieten(context: "DataContext", *, reserves: bool) -> None:
    """Sets the switches of Ray Data: it shows nothing, goes on where a process dies, and does not poll. 2.60.

    With `reserves` it submits tasks within a budget, as actors need it.
    """
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a process that dies takes its own unit with it, not the others
    # Within its budget Ray Data submits a task only once it has noticed that one ended, for which it looks ten times a
    # second: a core would stand idle for up to 0.2 s after each unit. Without one, Ray holds the tasks until there is
    # room.
    context.op_resource_reservation_enabled = reserves
    context.memory_usage_poll_interval_s = None  # otherwise each task starts a thread for a figure that nobody reads
    logging.getLogger("ray.data").setLevel(logging.CRITICAL + 1)  # the engine says what failed, once
    TASK_LOG.setLevel(logging.ERROR)
    TASK_LOG.propagate = False


def executor_of(dataset: "Dataset") -> Any:
    """An executor for the dataset, which `shutdown(force=True)` ends with its tasks. 2.60.

    `Dataset.iter_internal_ref_bundles` shows its executor only after the first unit, too late to stop it.
    """
    return dataset._create_executor()


def bundles(dataset: "Dataset", executor: Any) -> Iterator[Any]:
    """Runs the dataset by this executor; gives bundles of blocks as they come. 2.60."""
    return dataset._build_bundle_iterator(executor)


def temporary_folder() -> str:
    """The folder in which Ray makes its own. 2.60."""
    folder: str = get_default_system_temp_dir()  # type: ignore[no-untyped-call]
    return folder


def local_resources(**options: Any) -> dict[str, float]:
    """The `Resources` that a Ray on this machine would have with these options, as Ray itself counts them. 2.60."""
    spec = ResourceAndLabelSpec(**options).resolve(is_head=True, node_ip_address="127.0.0.1")
    resources: dict[str, float] = spec.to_resource_dict()  # type: ignore[no-untyped-call]
    return resources


@contextmanager
def loopback_only() -> Iterator[None]:
    """A Ray that starts in this context stays on 127.0.0.1. 2.60.

    Ray replaces a 127.0.0.1 that it is given by the machine's address, unless it takes itself for a Ray without
    clusters, as on macOS and Windows; it asks for this only while it starts.
    """
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def read_environment() -> None:
    """Makes Ray's compiled part forget the mode and the token that it has read first. 2.60."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def own_sigterm() -> Iterator[None]:
    """A program that has a handler for SIGTERM keeps it while Ray starts in this context. 2.60.

    Ray would set two of its own: one in Python, for good, and a compiled one, which aborts the process until Ray sets
    the one in Python. Both would end the program silently, with another exit code. A thread undoes the compiled one at
    once.
    """
    if not callable(signal.getsignal(signal.SIGTERM)) or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = utils.set_sigterm_handler
    library = ctypes.CDLL(None)
    action = ctypes.create_string_buffer(1024)  # more than a struct sigaction holds anywhere
    library.sigaction(signal.SIGTERM, None, action)

    def restore() -> None:
        library.sigaction(signal.SIGTERM, action, None)

    utils.set_sigterm_handler = lambda handler: None
    try:
        with repeating(restore, 0.005, "winnow-sigterm"):
            yield
    finally:
        restore()
        utils.set_sigterm_handler = before
