"""The examples of CONTRIBUTING.md, put where they say into a copy of the tree: their tests pass, and so do the laws."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT, Block, blocks

EXAMPLES = [block for block in blocks(ROOT / "CONTRIBUTING.md") if block.file]
COMPONENTS = [block for block in EXAMPLES if not block.file.startswith("tests/")]
PARTS = ("curation", "training", "pipelines", "cluster", "winnow", "demo", "tests", "pyproject.toml")
CONTRACTS = {
    "curation.filters": "test_every_filter.py",
    "curation.sources": "test_every_source.py",
    "curation.dedup": "test_every_dedup_method.py",
    "curation.fit": "test_every_fit.py",
    "training.objectives": "test_every_objective.py",
    "training.optim": "test_training_components.py",
}


def room(example: Block) -> str:
    return ".".join(Path(example.file).parent.parts)


def key(example: Block) -> str:
    return Path(example.file).stem


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house, its compiled kernels included, with the examples in it."""
    folder = tmp_path_factory.mktemp("house")
    for name in PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
    for example in EXAMPLES:
        assert not (folder / example.file).exists(), f"{example.file} is there already"
        (folder / example.file).write_text(example.content)
    return folder


def run(tree: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run([sys.executable, "-m", *words], cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def test_every_example_has_its_test_and_every_room_of_the_guide_its_contract() -> None:
    tests = {block.file for block in EXAMPLES} - {block.file for block in COMPONENTS}
    assert tests == {f"tests/{Path(one.file).parent}/test_{key(one)}.py" for one in COMPONENTS}
    assert {room(one) for one in COMPONENTS} == set(CONTRACTS)


def test_the_examples_are_as_the_house_writes(tree: Path) -> None:
    files = [example.file for example in EXAMPLES]
    run(tree, "ruff", "check", *files)
    run(tree, "ruff", "format", "--check", *files)


@pytest.mark.slow
def test_the_examples_pass_their_tests_and_the_contracts(tree: Path) -> None:
    files = [example.file for example in EXAMPLES if example not in COMPONENTS]
    laws = {f"tests/contracts/{law}" for law in CONTRACTS.values() if (tree / "tests/contracts" / law).exists()}
    chosen = " or ".join([*(key(one) for one in COMPONENTS), "test_opening", "cycle", "meaning"])
    quick = f"({chosen}) and not 50_mb and not half_a_million"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    out = run(tree, "pytest", *options, *files, *sorted(laws), "tests/contracts/test_shape.py", "-k", quick)
    assert " passed" in out
    assert " failed" not in out


@pytest.mark.slow
def test_the_examples_pass_the_type_checker(tree: Path) -> None:
    modules = [f"{room(one)}.{key(one)}" for one in COMPONENTS]
    run(tree, "mypy", *[word for module in modules for word in ("-m", module)])
