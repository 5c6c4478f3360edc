"""On a cluster whose nodes are processes of `ray start`, with runs as jobs: a node is preempted, the head starts again,
a node's clock is an hour wrong. See tests/cluster/test_nodes.py for a node that is lost and comes back."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.test_jobs import following, wait_for
from tests.end_to_end.test_object_store import made
from tests.faults.nodes import RayCluster, reaching_a_store, until_more, went_on
from tests.object_store import Store, client, content
from tests.runs import data_hashes, winnow, write_recipe

pytestmark = pytest.mark.timeout(600)
Record = Callable[[str, object], None]
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
# Ray's own processes hang under libfaketime, and the interpreter's start is the only hook into its workers.
WRONG_CLOCK = """
import os, sys
if "WRONG_CLOCK" in os.environ and any(name.endswith("default_worker.py") for name in sys.orig_argv):
    hours = os.environ.pop("WRONG_CLOCK")
    os.environ.update(LD_PRELOAD="%s", FAKETIME=hours, FAKETIME_DONT_FAKE_MONOTONIC="1")
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
"""
WARNING = 30.0  # seconds between the signal and the end of a preempted machine


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[RayCluster, Store]]:
    """A head and two workers that reach a store."""
    with reaching_a_store() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe, its crawl, and a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("faults")
    write_recipe(folder, archives=6)
    done = winnow("curate", folder / "small.yaml", "--output", folder / "plain", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    return folder


def parts(output: Path) -> set[str]:
    return {str(path) for path in output.glob("*/part-*")}


@pytest.mark.soak
def test_a_node_is_preempted(
    cluster: tuple[RayCluster, Store], folder: Path, tmp_path: Path, record_property: Record
) -> None:
    """SIGTERM to `ray start`, as Slurm, Kubernetes and spot machines send it, and an end within their 30 s."""
    ray, _ = cluster
    output = tmp_path / "run"
    lost = ray.nodes[-1]
    with following(ray, folder, "submit", "--", "curate", "small.yaml", "--output", str(output)) as submitted:
        wait_for(lambda: submitted.poll() is not None or parts(output))
        lost.process.send_signal(signal.SIGTERM)
        seconds = until_more(lambda: parts(output))
        lost.process.wait(WARNING)
        ray.kill(lost)
        ray.add()
        log, said = submitted.communicate(timeout=300)
    assert submitted.returncode == 0, log + said
    record_property(
        "fault", f"a node preempted by SIGTERM | its units are run elsewhere | nothing | {went_on(seconds)}"
    )
    assert data_hashes(output) == data_hashes(folder / "plain")


@pytest.mark.soak
@pytest.mark.skipif(FAKETIME is None, reason="libfaketime is not installed (Debian: apt-get install faketime)")
@pytest.mark.parametrize("hours", [1, -1])
def test_a_clock_is_an_hour_wrong(
    cluster: tuple[RayCluster, Store], folder: Path, tmp_path: Path, hours: int, record_property: Record
) -> None:
    """A store that judges clocks, as S3 does, is one line before work; one that does not has the undisturbed bytes."""
    ray, store = cluster
    ray.kill(ray.nodes[-1])
    (tmp_path / "sitecustomize.py").write_text(WRONG_CLOCK % FAKETIME)
    node = ray.add(path=f"{tmp_path}:{ray.path}", variables={"WRONG_CLOCK": f"{hours:+d}h"})
    for path in (folder / "crawl").iterdir():
        client(store).upload_file(str(path), "bucket", f"crawl/{path.name}")
    curate = ("curate", "small.yaml", "--input", "s3://bucket/crawl/*.warc.gz", "--output")
    output = f"s3://bucket/skewed{hours}"
    plain = ray.winnow(*curate, tmp_path / "plain", "--cpus", "2", cwd=folder)
    assert plain.returncode == 0, plain.stderr
    try:
        store.strict = True
        refused = ray.winnow("submit", "--", *curate, output, cwd=folder)
        store.strict = False
        done = ray.winnow("submit", "--", *curate, output, cwd=folder)
    finally:
        ray.kill(node)
        ray.add()
    assert refused.returncode == 2
    line = next(line for line in refused.stdout.splitlines() if line.startswith("error: "))
    assert f"({node.address}) does not see what is written into {output}" in line
    assert f"its clock is {hours:+.1f} h off the driver's" in line
    assert done.returncode == 0, done.stdout + done.stderr
    local = {str(path.relative_to(tmp_path / "plain")): path for path in (tmp_path / "plain").rglob("*")}
    files = {name: path.read_bytes() for name, path in local.items() if path.is_file()}
    assert made(content(store, f"skewed{hours}/")) == made(files)
    happens = "one line before work where a store judges clocks, elsewhere nothing"
    record_property("fault", f"a clock {hours:+d} h wrong | {happens} | nothing | at once")


@pytest.mark.soak
def test_the_head_is_started_again(
    cluster: tuple[RayCluster, Store], folder: Path, tmp_path: Path, record_property: Record
) -> None:
    """The driver dies with it; the other nodes end by themselves, at the latest when they meet the new head."""
    ray, _ = cluster
    output = tmp_path / "run"
    others = ray.nodes[1:]
    command = ("submit", "--", "curate", "small.yaml", "--output", str(output))
    with following(ray, folder, *command) as submitted:
        wait_for(lambda: submitted.poll() is not None or parts(output))
        ray.restart_head()
        log, said = submitted.communicate(timeout=300)
    assert submitted.returncode == 1, log + said
    assert "the cluster no longer knows the job" in said.splitlines()[-1]
    for node in others:
        node.process.wait(120)
        ray.kill(node)
    ray.add()
    ray.add()
    with following(ray, folder, *command) as submitted:
        seconds = until_more(lambda: parts(output))
        log, said = submitted.communicate(timeout=300)
    assert submitted.returncode == 0, log + said
    record_property(
        "fault", f"the head lost with the driver | the same command resumes | units at work | {went_on(seconds)}"
    )
    assert data_hashes(output) == data_hashes(folder / "plain")
