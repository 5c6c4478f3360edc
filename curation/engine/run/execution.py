"""One Ray Data execution over units: a dataset with a row per unit through `map_batches`, its rows taken as they come.

The task does all of a unit's reading and writing itself and returns one narrow row, so no data passes through Ray. An
execution runs in a thread of its own, because a straggler may need a second one beside it.
"""

import logging
import pickle
import threading
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import pyarrow as pa
import ray
from ray.exceptions import RayError
from ray.util.annotations import RayDeprecationWarning

from curation.core.commits import Commit
from curation.core.errors import StageError, WinnowError
from curation.core.storage_options import StorageOptions, configure, configured
from curation.engine.run.unit_task import Failure, one_line, run_unit
from curation.engine.run.work import Needs, Unit, Work

NODE = "ray.io/node-id"  # the label by which Ray knows a node
_TASKS = logging.getLogger("ray.data._internal.execution.streaming_executor_state")


@dataclass(frozen=True)
class Ended:
    """The last result of an execution: `deaths` are the names of Ray's errors for tasks whose process died."""

    execution: "Execution"
    deaths: tuple[str, ...] = ()
    error: WinnowError | None = None


Result = Commit | Failure | Ended


class Execution:
    """Units being run; `results` receives a Commit or Failure of each whose process lived, then Ended."""

    def __init__(
        self, work: Work, units: Sequence[Unit], results: "SimpleQueue[Result]", needs: Needs, avoid: Sequence[str] = ()
    ) -> None:
        self.units = units
        self._results, self._executor = results, None
        self._deaths: list[str] = []
        self._dataset = _dataset(work, units, needs, avoid)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it and its tasks, if they have not ended; nothing that they commit afterwards is heard of."""
        executor: Any = self._executor
        if self._thread.is_alive() and executor is not None:
            executor.shutdown(force=True)

    def _run(self) -> None:
        error = None
        deaths = _Deaths(self._deaths)
        _TASKS.addHandler(deaths)
        try:
            bundles, _, self._executor = self._dataset._execute_to_iterator()
            for bundle in bundles:
                for block in ray.get(list(bundle.block_refs)):
                    for row in pa.table(block)["result"].to_pylist():
                        self._results.put(pickle.loads(row))
        except (RayError, WinnowError, OSError, RuntimeError, StopIteration) as caught:
            error = StageError(f"Ray Data failed: {one_line(caught)}", str(caught))
        finally:
            _TASKS.removeHandler(deaths)
            self._results.put(Ended(self, tuple(self._deaths), error))


class _Deaths(logging.Handler):
    """Notes the kinds of system errors that Ray Data passes over: it tells them to its log alone."""

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
    rows = ray.data.from_arrow([pa.table({"unit": [unit.number]}) for unit in units])
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
    """Tries are counted by the engine, which knows what failed; Ray's own would have no end."""
    return {"max_retries": 0}


def _actors_once() -> dict[str, Any]:
    """An actor that died is made anew, but the unit that it died of is not tried again by Ray."""
    return {"max_restarts": -1, "max_task_retries": 0}


def _gpu_workers(needs: Needs) -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("GPU", 0) / needs.num_gpus))


_held: dict[str, tuple[Work, dict[int, Unit], StorageOptions]] = {}  # of this worker: the step that it runs now


def _run_row(table: pa.Table, held: list[Any]) -> pa.Table:
    """The task: one row with a unit's number to one row with its pickled result."""
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
