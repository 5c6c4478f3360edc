"""Jobs on a cluster of a head and two workers, in network namespaces where the system allows them: the bytes and losses
of one node, also when a node is lost, and one line for what a node lacks."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster import entry
from tests.cluster.test_jobs import following, wait_for
from tests.end_to_end.test_installed_component import FILTER, PROJECT
from tests.faults.nodes import ROOT, RayCluster, has_namespaces, until_more, went_on
from tests.runs import data_hashes, winnow, write_recipe

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
needs_namespaces = pytest.mark.skipif(
    not has_namespaces(), reason="network namespaces are not allowed here, so all nodes have the same files"
)
TRAIN = """
model: {decoder: {layers: 1, width: 32, heads: 2}}
steps: 8
schedule: {cosine: {warmup_steps: 2}}
batch_rows: 4
checkpoint_every: 4
validate_every: 4
validation_rows: 8
log_every: 1
"""
OWN = """
version: 1
name: own
sources:
  notes:
    - read: {jsonl: {paths: []}}
    - filter: {no_shouting: {max_marks: 1}}
    - tokenize: {tokenizer: %s}
    - pack: {sequence_length: 8}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe, its crawl, a run on this machine alone, and `hidden/`, which the workers do not see."""
    folder = tmp_path_factory.mktemp("nodes")
    write_recipe(folder, archives=6)
    (folder / "hidden").mkdir()
    done = winnow("curate", folder / "small.yaml", "--output", folder / "plain", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def ray(folder: Path) -> Iterator[RayCluster]:
    with RayCluster(hidden=folder / "hidden") as cluster:
        cluster.add()
        cluster.add()
        yield cluster


@pytest.fixture(scope="module")
def curated(ray: RayCluster, folder: Path) -> Path:
    done = ray.winnow("submit", "--", "curate", "small.yaml", "--output", folder / "run", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "run"


def test_curate_gives_the_bytes_of_one_node(curated: Path, folder: Path) -> None:
    assert data_hashes(curated) == data_hashes(folder / "plain")


@pytest.mark.soak
def test_train_gives_the_losses_of_one_node(ray: RayCluster, curated: Path, folder: Path) -> None:
    (folder / "tiny.yaml").write_text(TRAIN)
    arguments = ("train", "tiny.yaml", "--data", curated, "--workers", "2", "--output")
    done = ray.winnow("submit", "--", *arguments, folder / "model", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    plain = winnow(*arguments, folder / "plain-model", cwd=folder)
    assert plain.returncode == 0, plain.stderr
    assert losses(folder / "model") == losses(folder / "plain-model")


def losses(model: Path) -> dict[str, list[float]]:
    records = [json.loads(line) for line in (model / "metrics.jsonl").read_text().splitlines()]
    names = ("loss", "validation_loss")
    return {name: [record[name] for record in records if name in record] for name in names}


@pytest.mark.soak
def test_a_node_is_lost_and_comes_back(
    ray: RayCluster, folder: Path, record_property: Callable[[str, object], None]
) -> None:
    """With the same address and, as a new machine, without its files."""
    output = folder / "disturbed"
    with following(ray, folder, "submit", "--", "curate", "small.yaml", "--output", str(output)) as submitted:
        wait_for(lambda: submitted.poll() is not None or any(output.glob("*-extract-*/part-*")))
        lost = ray.nodes[-1]
        ray.kill(lost)
        seconds = until_more(lambda: {str(path) for path in output.glob("*/part-*")})
        assert ray.add().address == lost.address
        log, said = submitted.communicate(timeout=300)
    assert submitted.returncode == 0, log + said
    record_property("fault", f"a node lost that comes back | its units are run again | nothing | {went_on(seconds)}")
    assert data_hashes(output) == data_hashes(folder / "plain")


@pytest.mark.soak
@needs_namespaces
def test_an_output_that_a_node_does_not_see(ray: RayCluster, folder: Path) -> None:
    done = ray.winnow("submit", "--", "curate", "small.yaml", "--output", folder / "hidden" / "run", cwd=folder)
    assert done.returncode == 2
    line = next(line for line in done.stdout.splitlines() if line.startswith("error: "))
    assert "does not see what is written into" in line
    assert "give an --output on a file system that all nodes share, or a URI" in line
    assert not (folder / "hidden" / "run").exists()


@pytest.mark.soak
def test_a_store_that_only_the_driver_sees(ray: RayCluster, folder: Path) -> None:
    done = ray.winnow("submit", "--", "curate", "small.yaml", "--output", "memory://only-the-driver/run", cwd=folder)
    assert done.returncode == 2
    line = next(line for line in done.stdout.splitlines() if line.startswith("error: "))
    assert "does not see what is written into memory://only-the-driver/run here (no file at " in line


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """A wheel of a package with a filter; the package is installed for this machine in `packages/`."""
    source = folder / "source"
    (source / "shouting").mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "shouting" / "__init__.py").write_text("")
    (source / "shouting" / "no_shouting.py").write_text(FILTER)
    pip = [sys.executable, "-m", "pip", "-q"]
    offline = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", "--no-build-isolation", *offline, "-w", str(folder), str(source)], check=True)
    (path,) = folder.glob("shouting-*.whl")
    subprocess.run([*pip, "install", *offline, "--target", str(folder / "packages"), str(path)], check=True)
    return path


def test_a_component_and_a_file_that_only_the_user_has(
    ray: RayCluster, folder: Path, curated: Path, wheel: Path
) -> None:
    """They go with the job: the nodes have neither."""
    user = folder / "hidden" / "user"
    user.mkdir()
    shutil.copy(next(curated.glob("*-tokenizer-*/tokenizer.json")), user)
    (user / "own.yaml").write_text(OWN % "tokenizer.json")
    texts = ["Quiet words.", "Loud words!", "Louder words!!"]
    (folder / "notes.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    command = ("curate", "own.yaml", "--input", folder / "notes.jsonl", "--output", folder / "own")
    environment = {**ray.client, "PYTHONPATH": f"{folder / 'packages'}:{ROOT}"}
    done = subprocess.run(
        ray.command("submit", "--wheel", wheel, "--", *command),
        cwd=user,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1  no_shouting: no_shouting.marks:high" in done.stdout


@needs_namespaces
def test_a_file_that_a_node_lacks(ray: RayCluster, folder: Path, curated: Path) -> None:
    path = folder / "hidden" / "tokenizer.json"
    shutil.copy(next(curated.glob("*-tokenizer-*/tokenizer.json")), path)
    recipe = (OWN % path).replace("    - filter: {no_shouting: {max_marks: 1}}\n", "")
    (folder / "absolute.yaml").write_text(recipe)
    (folder / "notes.jsonl").write_text('{"text": "Words."}\n')
    command = ("curate", "absolute.yaml", "--input", folder / "notes.jsonl", "--output", folder / "absolute")
    done = ray.winnow("submit", "--", *command, cwd=folder)
    assert done.returncode == 2
    assert f"has no {path}; put it at this path on every node, name it by a URI" in done.stdout


@pytest.mark.soak
def test_a_node_with_another_winnow_is_refused_and_a_wheel_helps(ray: RayCluster, folder: Path) -> None:
    other = folder / "other"
    for room in entry.ROOMS:
        shutil.copytree(ROOT / room, other / room, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "curation" / "__init__.py").open("a") as file:
        file.write("# another build\n")
    node = ray.add(path=str(other))
    done = ray.winnow("submit", "--", "curate", "small.yaml", "--output", folder / "refused", cwd=folder)
    assert done.returncode == 2
    line = next(line for line in done.stdout.splitlines() if line.startswith("error: "))
    assert " has winnow " in line
    assert "install the same wheel on every node, or submit it with the job: winnow submit --wheel FILE" in line
    shutil.copy(ROOT / "pyproject.toml", other)
    shutil.copytree(
        ROOT / "curation", other / "curation", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, other)
    with (other / "training" / "__init__.py").open("a") as file:
        file.write("# a third build\n")
    pip = [sys.executable, "-m", "pip", "-q", "wheel", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*pip, "-w", str(folder), str(other)], check=True)
    (wheel,) = folder.glob("winnow_corpus-*.whl")
    done = ray.winnow(
        "submit", "--wheel", wheel, "--", "curate", "small.yaml", "--output", folder / "third", cwd=folder
    )
    ray.kill(node)
    assert done.returncode == 0, done.stdout + done.stderr
    assert data_hashes(folder / "third") == data_hashes(folder / "plain")
