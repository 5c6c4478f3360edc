"""Runs a recipe on a small Ray cluster of its own and disturbs it: python -m tests.faults.harness RUN FAULT …

The cluster has a head without CPUs and two nodes of one. Prints one line of JSON: what the run ended with, how long it
took, and what the screen was told.
"""

import json
import os
import signal
import sys
import threading
import time
from importlib.metadata import EntryPoint
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from curation.core import catalog
from curation.core.errors import WinnowError
from curation.engine.driver import runner
from curation.engine.executor import attempts
from curation.engine.executor.on_ray import OnRay
from curation.engine.recipe.recipe import parse
from curation.engine.run.progress import Progress

RECIPE = """
version: 1
name: faults
shards: {{group_mb: 0}}
sources:
  docs:
    - read: {{jsonl: {{paths: ["{inputs}/*.jsonl"], url: url}}}}
    - filter: {{faulty: {{}}}}
{options}
    - dedup: {{exact: {{}}}}
    - fit: {{tokenizer: {{vocab_size: 300}}}}
    - tokenize: {{tokenizer: "@tokenizer", validation: 0.1}}
    - pack: {{sequence_length: 32}}
    - mix: {{}}
"""
PATIENCE = 60.0  # seconds for a moment to come


def write_inputs(folder: Path, files: int = 6, documents: int = 40) -> None:
    """Files of documents; every tenth is too short, some are equal, and one holds the text that kills."""
    from tests.faults.faulty import DEADLY

    folder.mkdir(parents=True, exist_ok=True)
    for file in range(files):
        rows = []
        for number in range(documents):
            text = f"Document {number % 30} of file {file % 4}: " + "words " * (20 + number)
            text = "short" if number % 10 == 7 else text
            if (file, number) == (2, 21):
                text += DEADLY
            rows.append({"text": text, "url": f"http://{file}-{number}.example/"})
        (folder / f"{file}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def main(run: str, inputs: str, fault: str, moment: str = "", options: str = "") -> None:
    catalog._installed = lambda: {"faulty": EntryPoint("faulty", "tests.faults.faulty:Faulty", catalog.GROUP)}
    attempts.PAUSE = 0.1
    if fault in ("stop", "slow disk"):
        attempts.SLOW_SECONDS = 3.0
        attempts.SLOW = 2
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=100 << 20) for _ in range(2)]
    cluster.wait_for_nodes()
    folder = Path(os.environ["FAULT_FOLDER"])
    (folder / "bad_node").write_text(nodes[0].node_id)
    told: list[Progress] = []
    if moment or fault == "lose":
        sign = (Path(run), moment) if moment else (folder, "working")
        threading.Thread(target=_lose_node, args=(cluster, nodes[0], *sign), daemon=True).start()
    if fault == "stop":
        threading.Thread(target=_stop_worker, args=(folder, Path(run)), daemon=True).start()
    started = time.monotonic()
    end = "done"
    try:
        with OnRay(cluster.address) as executor:
            recipe = parse(RECIPE.format(inputs=inputs, options=f"      {options}" if options else ""), "faults.yaml")
            runner.curate(recipe, run, executor, told.append)
    except WinnowError as error:
        end = f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - started
    notes = [one.note for one in told if one.note]
    retries = sum(one.retries for one in {(one.stage, one.step): one for one in told}.values())
    print(json.dumps({"end": end, "seconds": round(seconds, 1), "notes": notes, "retries": retries}), flush=True)
    os._exit(0)  # a cluster with a lost node takes long to end


def _lose_node(cluster: Cluster, node: object, folder: Path, moment: str) -> None:
    """Kills a node as soon as a file of this pattern is in the folder; another takes its place."""
    patience = time.monotonic() + PATIENCE
    while next(folder.glob(moment), None) is None and time.monotonic() < patience:
        time.sleep(0.01)
    cluster.remove_node(node, allow_graceful=False)
    cluster.add_node(num_cpus=1, object_store_memory=100 << 20)


def _stop_worker(folder: Path, run: Path) -> None:
    """Stops the worker that put its number down, and lets it go on once another has written the same part file."""
    while not (folder / "pid").exists() or not (folder / "pid").read_text():
        time.sleep(0.02)
    process, file = (folder / "pid").read_text().split()
    os.kill(int(process), signal.SIGSTOP)
    while next(run.glob(f"*-faulty-*/part-0000{file}.parquet"), None) is None:
        time.sleep(0.02)
    os.kill(int(process), signal.SIGCONT)
    (folder / "continued").touch()


if __name__ == "__main__":
    main(*sys.argv[1:])
    ray.shutdown()
