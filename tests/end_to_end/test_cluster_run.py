"""From a desk to tokens and a model on a cluster: jobs that read from and write to an object store under faults.

The run loses a node, the training a worker; both end as if nothing had happened.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.test_jobs import following, wait_for
from tests.cluster.test_nodes import losses
from tests.crawl import make_archives
from tests.end_to_end.test_object_store import made
from tests.faults.nodes import RayCluster, reaching_a_store, until_more, went_on
from tests.object_store import Store, client, content, keys
from tests.runs import winnow
from tests.support import SHARED, needs_shared_data
from training.checkpoint.manifest import MANIFEST

pytestmark = pytest.mark.timeout(1500)
ARCHIVES = 3  # of the shared crawl
RECIPE = """
version: 1
name: small
shards: {group_mb: 0}
sources:
  web:
    - read: {warc: {paths: []}}
    - extract: {resiliparse: {}}
    - filter: {language: {languages: [en]}}
    - filter: {gopher_quality: {}, gopher_repetition: {}}
      name: gopher
    - dedup: {exact: {}, minhash: {}}
    - fit: {tokenizer: {vocab_size: 512}}
    - tokenize: {tokenizer: "@tokenizer", validation: 0.1}
    - pack: {sequence_length: 64}
    - mix: {}
"""
TRAIN = """
model: {decoder: {layers: 1, width: 32, heads: 2}}
steps: 40
batch_rows: 4
checkpoint_every: 4
validate_every: 8
validation_rows: 8
log_every: 1
schedule: {cosine: {warmup_steps: 2}}
"""


@pytest.fixture
def store() -> Iterator[tuple[RayCluster, Store]]:
    """A cluster of a head and two workers that reach a store, which is disturbed once the inputs are there."""
    with reaching_a_store() as cluster:
        yield cluster


def generated(folder: Path) -> list[Path]:
    return make_archives(folder, archives=6, pages=40)


def shared(folder: Path) -> list[Path]:
    folder.mkdir()
    archives = sorted((SHARED / "web").glob("pages-*.warc.gz"))[:ARCHIVES]
    return [Path(shutil.copy(path, folder)) for path in archives]


@pytest.mark.parametrize(
    "crawl",
    [
        pytest.param(generated, marks=pytest.mark.soak),
        pytest.param(shared, marks=[pytest.mark.soak, needs_shared_data]),
    ],
)
def test_a_node_and_a_worker_are_lost(
    crawl: Callable[[Path], list[Path]],
    store: tuple[RayCluster, Store],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    ray, server = store
    desk = tmp_path / "desk"
    plain = tmp_path / "plain"
    desk.mkdir()
    (desk / "small.yaml").write_text(RECIPE)
    (desk / "tiny.yaml").write_text(TRAIN)
    for path in crawl(tmp_path / "crawl"):
        client(server).upload_file(str(path), "bucket", f"crawl/{path.name}")
    curate = ("curate", "small.yaml", "--input", "s3://bucket/crawl/*.warc.gz", "--output")
    done = ray.winnow(*curate, plain, "--cpus", "2", cwd=desk)  # on this machine alone
    assert done.returncode == 0, done.stderr
    server.seed = 1

    def parts() -> set[str]:
        return {key for key in keys(server, "run/") if "/part-" in key}

    with following(ray, desk, "submit", "--", *curate, "s3://bucket/run") as submitted:
        wait_for(lambda: submitted.poll() is not None or parts(), seconds=600, pause=0.5)
        ray.kill(ray.nodes[-1])
        seconds = until_more(parts)
        ray.add()
        log, said = submitted.communicate(timeout=900)
    assert submitted.returncode == 0, log + said
    assert len(server.faults) >= 3  # which ones come is drawn anew with the order of requests
    local = {str(path.relative_to(plain)): path.read_bytes() for path in plain.rglob("*") if path.is_file()}
    assert len(made(local)) > 15
    assert made(content(server, "run/")) == made(local)
    record_property(
        "fault", f"a job's node lost, in a faulty store | units run elsewhere | nothing | {went_on(seconds)}"
    )

    train = ("train", "tiny.yaml", "--workers", "2", "--data")
    done = winnow(*train, plain, "--output", tmp_path / "model", cwd=desk)
    assert done.returncode == 0, done.stderr
    with following(ray, desk, "submit", "--", *train, "s3://bucket/run", "--output", "s3://bucket/model") as submitted:
        wait_for(lambda: submitted.poll() is not None or complete(server), seconds=600, pause=0.2)
        os.kill(training_workers(ray)[-1], signal.SIGKILL)
        seconds = until_more(lambda: complete(server))
        log, said = submitted.communicate(timeout=900)
    assert submitted.returncode == 0, log + said
    (tmp_path / "stored").mkdir()
    (tmp_path / "stored" / "metrics.jsonl").write_bytes(content(server, "model/")["metrics.jsonl"])
    assert '"resume"' in (tmp_path / "stored" / "metrics.jsonl").read_text()
    assert losses(tmp_path / "stored") == losses(tmp_path / "model")
    record_property(
        "fault",
        f"a training worker lost, checkpoints in a faulty store | all workers start again from the "
        f"newest checkpoint | the steps since it, done again | {went_on(seconds)}",
    )


def complete(store: Store) -> set[str]:
    """The newest checkpoints, which are replaced by newer ones."""
    return {key for key in keys(store, "model/checkpoints/") if key.endswith(f"/{MANIFEST}")}


def training_workers(ray: RayCluster) -> list[int]:
    pids = sorted(pid for node in ray.nodes for pid in node.pids())
    return [pid for pid in pids if b"RayTrainWorker" in Path(f"/proc/{pid}/cmdline").read_bytes()]
