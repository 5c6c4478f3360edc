"""Trainings that disturb themselves, each in a process of its own.

torchrun … -m tests.faults.trainings CONFIG MOMENT    one process is killed in the middle of a checkpoint, or waits
torchrun … -m tests.faults.trainings CONFIG RANK-N    it is killed N changes of files after the checkpoint's begin
python -m tests.faults.trainings DATA OUTPUT          a node of a Ray cluster is killed, and another one comes
python -m tests.faults.trainings DATA OUTPUT elastic  the same, and meanwhile it goes on with fewer workers
python -m tests.faults.trainings DATA OUTPUT drained  Ray says first that the node will be taken away

`killed` and `again` beside OUTPUT hold the times (s) of the kill and of the first step after it.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from curation.core import storage
from training import start
from training.checkpoint import manifest
from training.config.parse import load_job, parse
from training.ending import leave

Record = dict[str, Any]
SETTINGS = {  # large enough that a step is seen from outside long before the last one
    "model": {"decoder": {"layers": 4, "width": 128, "heads": 4, "kv_heads": 2}},
    "optimizer": {"adamw": {"learning_rate": 0.01}},
    "schedule": {"cosine": {"warmup_steps": 2}},
    "steps": 40,
    "batch_rows": 4,
    "checkpoint_every": 5,
    "validate_every": 20,
    "log_every": 1,
}
SLOW = {
    **SETTINGS,
    "steps": 120,
    "model": {"decoder": {"layers": 4, "width": 512, "heads": 4, "kv_heads": 2}},
    "optimizer": {"adamw": {"learning_rate": 1e-4}},  # more magnifies what sizes round in other places
}
DRAIN_SECONDS = 20
RAY = str(Path(sys.executable).with_name("ray"))
STEP = 6  # of the checkpoint that is cut short, of one every 2: 2 and 4 are complete, and 2 is deleted after it
MOMENTS = ("folder", "files", "manifest", "complete", "pruning")  # of death; or "wait", until `go` is beside OUTPUT


def mark(output: Path, name: str) -> None:
    """The first time counts."""
    file = output.with_name(f"{output.name}-{name}")
    if not file.exists():
        file.write_text(str(time.time()))


def seconds(output: Path) -> float:
    """From the kill to the first step after it."""
    killed, again = (float(output.with_name(f"{output.name}-{name}").read_text()) for name in ("killed", "again"))
    return round(again - killed, 1)


def main(config: str, moment: str) -> None:
    job = load_job(Path(config).read_text(), config)
    output = Path(job.output)
    restarted = os.environ["TORCHELASTIC_RESTART_COUNT"] != "0"
    rank, _, changes = moment.partition("-")
    if changes and not restarted and os.environ["RANK"] == rank:
        die_after(int(changes), output)
    elif moment in MOMENTS and not restarted and os.environ["RANK"] == ("1" if moment == "files" else "0"):
        die_at(moment, output)

    def seen(record: Record) -> None:
        if moment == "hang" and not restarted and record["kind"] == "step" and record["step"] == STEP - 1:
            mark(output, "killed")
            time.sleep(600)
        while moment == "wait" and record["step"] and not output.with_name("go").exists():
            time.sleep(0.05)
        if restarted and record["kind"] == "step":
            mark(output, "again")

    asked = Event()
    signal.signal(signal.SIGTERM, lambda number, frame: asked.set())
    start.train(job.train, job.data, job.output, on_record=seen, asked=asked)


def die_at(moment: str, output: Path) -> None:
    """Kills this process with an empty folder, with a file that is half written, before the manifest, after it, or with
    one file of an old checkpoint deleted."""
    make_folder = storage.make_folder
    fsync = os.fsync
    replace_bytes = storage.replace_bytes
    delete_folder = storage.delete_folder

    def die() -> None:
        mark(output, "killed")
        os.kill(os.getpid(), signal.SIGKILL)

    def empty(path: str) -> None:
        make_folder(path)
        if path.endswith(f"/step_{STEP}"):
            die()

    def half(file: int) -> None:
        path = Path(f"/proc/self/fd/{file}").readlink()
        if path.parent.name == f"step_{STEP}":
            os.ftruncate(file, path.stat().st_size // 2)
            die()
        fsync(file)

    def no_manifest(path: str, content: bytes) -> None:
        if path.endswith(f"/step_{STEP}/{manifest.MANIFEST}"):
            if moment == "complete":
                replace_bytes(path, content)
            die()
        replace_bytes(path, content)

    def one_file(path: str) -> None:
        if path.endswith(f"/step_{STEP - 4}") and Path(path, manifest.file_name(1)).exists():
            Path(path, manifest.file_name(0)).unlink()
            die()
        delete_folder(path)

    if moment == "folder":
        storage.make_folder = empty
    elif moment == "files":
        os.fsync = half
    elif moment in ("manifest", "complete"):
        storage.replace_bytes = no_manifest
    else:
        storage.delete_folder = one_file


def die_after(changes: int, output: Path) -> None:
    """Kills this process so many changes of files after the checkpoint was begun: 0 is before the first one."""
    begun = False
    done = 0

    def counting(name: str, change: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            nonlocal begun, done
            begun = begun or (name == "make_folder" and arguments[0].endswith(f"/step_{STEP}"))
            begun = begun or (
                name == "fsync" and f"/step_{STEP}/" in str(Path(f"/proc/self/fd/{arguments[0]}").readlink())
            )
            if begun and done == changes:
                mark(output, "killed")
                os.kill(os.getpid(), signal.SIGKILL)
            done += begun
            return change(*arguments)

        return counted

    os.fsync = counting("fsync", os.fsync)
    for name in ("make_folder", "replace_bytes", "write_bytes", "delete_file", "delete_folder"):
        setattr(storage, name, counting(name, getattr(storage, name)))


def lose_node(data: str, output: str, how: str = "killed") -> None:
    """A head without CPUs, and nodes of one each. One is killed or drained, and another comes at once, or once some
    steps were made without it."""
    from ray._private import utils
    from ray.cluster_utils import Cluster

    from training import job

    elastic = how == "elastic"
    job.ScalingConfig = partial(job.ScalingConfig, elastic_resize_monitor_interval_s=2)  # type: ignore[misc,assignment]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(4 if elastic else 2)]
    cluster.wait_for_nodes()
    utils.set_sigterm_handler = lambda handler: None  # only a main thread can

    def kill() -> None:
        cluster.remove_node(nodes[0], allow_graceful=False)

    def add() -> None:
        cluster.add_node(num_cpus=1, object_store_memory=100 << 20)

    def lose() -> None:
        if how == "drained":
            drain(cluster.address, nodes[0].node_id)
            threading.Timer(DRAIN_SECONDS, kill).start()
        else:
            kill()
        if not elastic:
            add()

    lost = once(lose, Path(output))
    kinds: list[str] = []

    def seen(record: Record) -> None:
        lost(record)
        kinds.append(record["kind"])
        after = kinds[kinds.index("resume") :] if "resume" in kinds else []
        if elastic and record["kind"] == "step" and after.count("step") == 3:
            add()

    settings = SETTINGS if how == "killed" else SLOW
    sizes = {"workers": len(nodes), "least_workers": 1 if elastic else None}
    result = job.train(parse(settings), data, output, ray_address=cluster.address, **sizes, on_progress=seen)
    print(json.dumps(result), flush=True)
    os._exit(0)  # a cluster with a lost node takes long to end


def drain(address: str, node: str) -> None:
    """As an autoscaler does before a node is taken away."""
    why = ["--reason", "DRAIN_NODE_REASON_PREEMPTION", "--reason-message", "spot"]
    ends = ["--deadline-remaining-seconds", str(DRAIN_SECONDS)]
    subprocess.run([RAY, "drain-node", "--address", address, "--node-id", node, *why, *ends], check=True)


def once(disturb: Callable[[], None], output: Path) -> Callable[[Record], None]:
    """Takes the records of a training and disturbs it after a step from 7 on, once there is a checkpoint; once."""
    kinds: list[str] = []

    def seen(record: Record) -> None:
        if record["kind"] == "step" and "resume" in kinds:
            mark(output, "again")
        if record["kind"] == "step" and record["step"] >= 7 and "checkpoint" in kinds and "disturbed" not in kinds:
            kinds.append("disturbed")
            mark(output, "killed")
            disturb()
        kinds.append(record["kind"])

    return seen


if __name__ == "__main__":
    if sys.argv[2] in (*MOMENTS, "hang", "wait") or sys.argv[2][0].isdigit():
        main(*sys.argv[1:])
        leave()
    else:
        lose_node(*sys.argv[1:])
