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
from ray.exceptions import OutOfMemoryError, WorkerCrashedError
from ray.util.annotations import RayDeprecationWarning

from curation.core.commits import Commit
from curation.core.errors import StageError, WinnowError
from curation.core.needs import Needs
from curation.core.storage_options import StorageOptions, configure, configured
from curation.engine.executor import ray_private
from curation.engine.executor.failures import Failure, one_line, run_unit
from curation.engine.executor.work import Unit, Work

STOP_SECONDS = 4.0  # of the 8 that a signal leaves


@dataclass(frozen=True)
class ExecutionEnd:
    """The last result of an execution; `deaths`: the names of Ray's errors for tasks whose process died."""

    execution: "Execution"
    deaths: tuple[str, ...] = ()
    error: WinnowError | None = None


Result = Commit | Failure | ExecutionEnd


class Execution:
    """Runs units; `results` receives a Commit or Failure for each whose process lived, then ExecutionEnd."""

    def __init__(
        self, work: Work, units: Sequence[Unit], results: "SimpleQueue[Result]", needs: Needs, avoid: Sequence[str] = ()
    ) -> None:
        self.units = units
        self._results = results
        self._stopped = False
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
        ray_private.TASK_LOG.addHandler(deaths)
        try:
            self._executor = ray_private.executor_of(self._dataset)
            for bundle in ray_private.bundles(self._dataset, self._executor):
                for block in ray.get(list(bundle.block_refs)):
                    for row in pa.table(block)["result"].to_pylist():
                        self._results.put(pickle.loads(row))
        except Exception as caught:  # in a thread nobody else would hear of it
            if not self._stopped:
                error = StageError(f"Ray Data failed: {one_line(caught)}", "".join(traceback.format_exception(caught)))
        finally:
            ray_private.TASK_LOG.removeHandler(deaths)
            self._results.put(ExecutionEnd(self, tuple(self._deaths), error))


class _Deaths(logging.Handler):
    """Collects the kinds of system errors that Ray Data skips and only writes to its log."""

    def __init__(self, kinds: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._kinds = kinds

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._kinds.append(type(record.exc_info[1]).__name__)


def death(number: int, kinds: Sequence[str]) -> Failure:
    """The failure of a unit without a result: Ray 2.60 tells only the kinds of errors in its execution, not whose they
    were."""
    causes = ", ".join(sorted(set(kinds))) or "no result came back"
    out_of_memory = OutOfMemoryError.__name__ in kinds
    crashed = WorkerCrashedError.__name__ in kinds and not out_of_memory
    return Failure(number, f"its worker died: {causes}", out_of_memory=out_of_memory, crashed=crashed)


def _dataset(work: Work, units: Sequence[Unit], needs: Needs, avoid: Sequence[str]) -> "ray.data.Dataset":
    ray_private.quieten(ray.data.DataContext.get_current(), reserves=bool(needs.num_gpus))
    held = ray.put((work, {unit.number: unit for unit in units}, configured()))
    options: dict[str, Any] = {"num_cpus": needs.num_cpus, "memory": needs.memory}
    if avoid:
        options["label_selector"] = {ray_private.NODE_LABEL: f"!in({','.join(avoid)})"}
    if needs.num_gpus:
        pool = ray.data.ActorPoolStrategy(min_size=1, max_size=_gpu_workers(needs))
        options |= {"num_gpus": needs.num_gpus, "compute": pool}
    # In a list, because Ray 2.60 would fetch an argument that is a reference itself for each task.
    options["fn_constructor_args" if needs.num_gpus else "fn_args"] = ([held],)
    function: Any = _OnGpu if needs.num_gpus else _run_row
    # `from_arrow` of Ray 2.60 would first run a task per table, to ask it for its schema.
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
    """The engine counts attempts, because it knows what failed; Ray 2.60 would retry for ever."""
    return {"max_retries": 0}


def _actors_once() -> dict[str, Any]:
    """Ray 2.60 replaces an actor that died, but does not retry the unit that killed it."""
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
