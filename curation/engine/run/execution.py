"""One Ray Data execution over units: a dataset with a row per unit through `map_batches`, its rows taken as they come.

The task does all of a unit's reading and writing itself and returns one narrow row, so no data passes through Ray. An
execution runs in a thread of its own, because a straggler may need a second one beside it.
"""

import logging
import pickle
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import pyarrow as pa
import ray
from ray.util.annotations import RayDeprecationWarning

from curation.core.commits import Commit
from curation.core.errors import StageError, WinnowError
from curation.core.needs import Needs
from curation.core.storage_options import StorageOptions, configure, configured
from curation.engine.run.unit_task import Failure, one_line, run_unit
from curation.engine.run.work import Unit, Work

STOP_SECONDS = 4.0  # of the 8 that a signal leaves
NODE = "ray.io/node-id"  # the label by which Ray knows a node
_TASKS = logging.getLogger("ray.data._internal.execution.streaming_executor_state")


@dataclass(frozen=True)
class Ended:
    """The last result of an execution; `deaths`: the names of Ray's errors for tasks whose process died."""

    execution: "Execution"
    deaths: tuple[str, ...] = ()
    error: WinnowError | None = None


Result = Commit | Failure | Ended


class Execution:
    """Runs units; `results` receives a Commit or Failure for each whose process lived, then Ended."""

    def __init__(
        self, work: Work, units: Sequence[Unit], results: "SimpleQueue[Result]", needs: Needs, avoid: Sequence[str] = ()
    ) -> None:
        self.units = units
        self._results, self._stopped = results, False
        self._executor: Any = None
        self._deaths: list[str] = []
        self._dataset = _dataset(work, units, needs, avoid)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the execution and its tasks; commits of tasks that end afterwards are ignored.

        Waits for the thread, which must not use Ray after its shutdown, but not longer than STOP_SECONDS.
        """
        self._stopped = True
        deadline = time.monotonic() + STOP_SECONDS
        while self._thread.is_alive() and time.monotonic() < deadline:
            if self._executor is not None:  # does nothing while the executor is only about to start
                self._executor.shutdown(force=True)
            self._thread.join(0.1)

    def _run(self) -> None:
        error = None
        deaths = _Deaths(self._deaths)
        _TASKS.addHandler(deaths)
        try:
            # `Dataset.iter_internal_ref_bundles` shows its executor only after the first unit, too late for `stop`.
            self._executor = self._dataset._create_executor()
            bundles: Any = self._dataset._build_bundle_iterator(self._executor)
            for bundle in bundles:
                for block in ray.get(list(bundle.block_refs)):
                    for row in pa.table(block)["result"].to_pylist():
                        self._results.put(pickle.loads(row))
        except Exception as caught:  # in a thread nobody else would hear of it
            if not self._stopped:
                error = StageError(f"Ray Data failed: {one_line(caught)}", "".join(traceback.format_exception(caught)))
        finally:
            _TASKS.removeHandler(deaths)
            self._results.put(Ended(self, tuple(self._deaths), error))


class _Deaths(logging.Handler):
    """Collects the kinds of system errors that Ray Data skips and only writes to its log."""

    def __init__(self, kinds: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._kinds = kinds

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._kinds.append(type(record.exc_info[1]).__name__)


def _dataset(work: Work, units: Sequence[Unit], needs: Needs, avoid: Sequence[str]) -> "ray.data.Dataset":
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a process that dies takes its own unit with it, not the others
    # Within its budget Ray Data submits a task only once it has noticed that one ended, for which it looks ten times a
    # second: a core would stand idle for up to 0.2 s after each unit. Without one, Ray holds the tasks until there is
    # room.
    context.op_resource_reservation_enabled = bool(needs.num_gpus)
    context.memory_usage_poll_interval_s = None  # otherwise each task starts a thread for a figure that nobody reads
    logging.getLogger("ray.data").setLevel(logging.CRITICAL + 1)  # the engine says what failed, once
    _TASKS.setLevel(logging.ERROR)
    _TASKS.propagate = False
    held = ray.put((work, {unit.number: unit for unit in units}, configured()))
    options: dict[str, Any] = {"num_cpus": needs.num_cpus, "memory": needs.memory}
    if avoid:
        options["label_selector"] = {NODE: f"!in({','.join(avoid)})"}
    if needs.num_gpus:
        pool = ray.data.ActorPoolStrategy(min_size=1, max_size=_gpu_workers(needs))
        options |= {"num_gpus": needs.num_gpus, "compute": pool}
    options["fn_constructor_args" if needs.num_gpus else "fn_args"] = ([held],)  # a list is not fetched for each task
    function: Any = _OnGpu if needs.num_gpus else _run_row
    # `from_arrow` would first run a task per table, to ask it for its schema.
    rows: ray.data.Dataset = ray.data.from_blocks([pa.table({"unit": [unit.number]}) for unit in units])
    with warnings.catch_warnings():
        # Ray 2.60 names no other way to limit retries than the one that it calls deprecated.
        warnings.simplefilter("ignore", RayDeprecationWarning)
        return rows.map_batches(
            function,
            batch_size=1,
            batch_format="pyarrow",
            ray_remote_args_fn=_actors_once if needs.num_gpus else _once,
            **options,
        )


def _once() -> dict[str, Any]:
    """The engine counts attempts, because it knows what failed; Ray would retry for ever."""
    return {"max_retries": 0}


def _actors_once() -> dict[str, Any]:
    """Ray replaces an actor that died, but does not retry the unit that killed it."""
    return {"max_restarts": -1, "max_task_retries": 0}


def _gpu_workers(needs: Needs) -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("GPU", 0) / needs.num_gpus))


_held: dict[str, tuple[Work, dict[int, Unit], StorageOptions]] = {}  # in a worker: the step that it runs now


def _run_row(table: pa.Table, held: list[Any]) -> pa.Table:
    """The task: takes one row with a unit's number, returns one row with its pickled result."""
    (ref,) = held
    name = ref.hex()
    if name not in _held:
        _held.clear()
        _held[name] = ray.get(ref)
    work, units, options = _held[name]
    configure(options)
    result = run_unit(work, units[table["unit"][0].as_py()], ray.get_runtime_context().get_node_id())
    return pa.table({"result": [pickle.dumps(result)]})


class _OnGpu:
    """The same in an actor, which keeps its model between units."""

    def __init__(self, held: list[Any]) -> None:
        self._held = held

    def __call__(self, table: pa.Table) -> pa.Table:
        return _run_row(table, self._held)
