"""Through Ray: one task a unit; an error, a death and a missing process each come back as what they are."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import ray

from curation.core.commits import Commit
from curation.core.errors import InputError
from curation.core.needs import Needs
from curation.engine.executor.work import Cheap, Unit
from tests.runs import python


@dataclass(frozen=True)
class Squares(Cheap):
    """Commits the square of its unit's payload; some payloads fail, each in another way."""

    folder: str

    def run(self, unit: Unit) -> Commit:
        if unit.payload == "dies":
            os._exit(139)
        if unit.payload == "gone":
            raise InputError("no file at there")
        if unit.payload == "once" and not (mark := Path(self.folder, "tried")).exists():
            mark.touch()
            raise OSError(5, "Input/output error")
        if unit.payload == "bug":
            raise ZeroDivisionError("a bug")
        if unit.payload == "waits":
            while not Path(self.folder, "go").exists():
                time.sleep(0.01)
        return Commit(unit.number, (), counts={"square": unit.number**2})


SCRIPT = """
import os
import ray
import sys
import time
from pathlib import Path
from queue import SimpleQueue
from tests.curation.engine.executor.test_ray_data import Squares
from curation.core.errors import WinnowError
from curation.core.needs import Needs
from curation.engine.executor import attempts
from curation.engine.executor.executor import Listener
from curation.engine.executor.on_ray import OnRay
from curation.engine.executor.ray_data import ExecutionEnd, Execution
from curation.engine.executor.work import Unit
attempts.PAUSE = 0.01
def run(*payloads):
    done, retries, notes = {}, [], []
    listener = Listener(lambda c: done.update({c.unit: c.counts["square"]}), lambda f: retries.append(f.error),
                        notes.append)
    failures = attempts.run(Squares(sys.argv[1]), [Unit(n, p) for n, p in enumerate(payloads)], listener)
    print(dict(sorted(done.items())), [(one.unit, one.error) for one in failures], retries)
def waiting(folder, units):
    results = SimpleQueue()
    execution = Execution(Squares(folder), [Unit(n, "waits") for n in range(units)], results, Needs())
    deadline, tasks = time.monotonic() + 60, 0
    while tasks < units and time.monotonic() < deadline:
        time.sleep(0.01)
        tasks = max((op.num_active_tasks() for op in getattr(execution._executor, "_topology", None) or ()), default=0)
    Path(folder, "go").touch()
    done = list(iter(results.get, ExecutionEnd(execution)))
    print(tasks, sorted(commit.unit for commit in done))
with OnRay(cpus=2) as executor:
    print(ray.is_initialized(), end=" ")
    executor.start()
    first = ray.get_runtime_context().gcs_address
    executor.start()
    print(first == ray.get_runtime_context().gcs_address, int(ray.cluster_resources()["CPU"]),
          "GPU" in ray.cluster_resources(), os.environ["RAY_USAGE_STATS_ENABLED"])
    run("a", "b", "c")
    run("a", "once", "c")
    run("a", "dies", "bug")
    try:
        run("gone")
    except WinnowError as caught:
        print(type(caught).__name__, caught, "Traceback" in caught.details)
    waiting(sys.argv[1], 6)
print(ray.is_initialized())
"""


@pytest.mark.slow
def test_units_end_as_what_became_of_them(tmp_path: Path) -> None:
    done = python(SCRIPT, str(tmp_path))
    assert done.returncode == 0, done.stderr
    died = "its worker died: WorkerCrashedError"
    bug = "ZeroDivisionError: a bug"
    started, *lines = [line for line in done.stdout.splitlines() if "(raylet)" not in line]
    assert started == "False True 2 False 0"  # nothing before there is work, and then one Ray
    assert lines[0] == "{0: 0, 1: 1, 2: 4} [] []"
    assert lines[1] == "{0: 0, 1: 1, 2: 4} [] ['OSError: [Errno 5] Input/output error']"
    assert lines[2].startswith(f"{{0: 0}} [(1, {died!r}), (2, {bug!r})]")
    assert lines[2].count(died) == lines[2].count(bug) == 5
    assert lines[3] == "InputError no file at there True"
    assert lines[4] == "6 [0, 1, 2, 3, 4, 5]"  # on two cores Ray holds all six: none waits to be submitted
    assert lines[5] == "False"
    assert "Traceback" not in done.stderr


@dataclass(frozen=True)
class OnGpu:
    """Commits say which process ran them and which GPUs it was given."""

    needs = Needs(num_gpus=1.0)

    def run(self, unit: Unit) -> Commit:
        if unit.payload == "dies" and not unit.last:
            os._exit(1)
        gpus = len(ray.get_gpu_ids())
        return Commit(unit.number, (), counts={"process": os.getpid(), "gpus": gpus})


GPU_SCRIPT = """
import ray
from tests.curation.engine.executor.test_ray_data import OnGpu
from curation.engine.executor import attempts
from curation.engine.executor.executor import Listener
from curation.engine.executor.work import Unit
attempts.PAUSE = 0.01
ray.init(address="local", num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False,
         object_store_memory=100 << 20, logging_level="ERROR")
commits = {}
listener = Listener(lambda c: commits.update({c.unit: c.counts}))
failures = attempts.run(OnGpu(), [Unit(n, "dies" if n == 2 else None) for n in range(4)], listener)
print(failures, sorted(commits), {c["gpus"] for c in commits.values()}, len({commits[n]["process"] for n in (0, 1)}))
"""


@pytest.mark.soak
def test_units_for_a_gpu_run_in_one_actor(tmp_path: Path) -> None:
    done = python(GPU_SCRIPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[] [0, 1, 2, 3] {1} 1"
