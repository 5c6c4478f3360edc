"""winnow finds its own packages whatever has their names; a program that wants both is told so in one line."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cluster import entry
from curation.core import installation
from curation.engine.executor import worker_imports
from winnow import packages

ROOT = Path(__file__).resolve().parents[2]


def test_the_names_are_the_same_everywhere() -> None:
    assert packages.NAMES == worker_imports.NAMES == entry.ROOMS[:-1]
    assert packages.ROOT == ROOT


def test_the_name_of_the_distribution_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["name"] == installation.DISTRIBUTION == entry.DISTRIBUTION
    built = f"dist/{installation.WHEEL}-*.whl"
    assert built in (ROOT / "Makefile").read_text()
    assert built in (ROOT / "cluster" / "Dockerfile").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a package, or a module, of each name, which cannot be imported; `pipelines` can, and has VALUE."""
    for name in ("cluster", "training", "pipelines"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise RuntimeError('the stranger {name}')\n")
    (tmp_path / "curation.py").write_text("raise RuntimeError('the stranger curation')\n")
    (tmp_path / "pipelines" / "__init__.py").write_text("VALUE = 1\n")
    (tmp_path / "pipelines" / "mine.py").write_text("VALUE = 2\n")
    return tmp_path


def run(folder: Path, program: str) -> "subprocess.CompletedProcess[str]":
    """Runs a script beside which the strangers lie."""
    (folder / "script.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "script.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_strangers_beside_a_script(folder: Path) -> None:
    done = run(
        folder,
        "import winnow\n"
        "import cluster.entry, pipelines.shipped, training.batch\n"
        "print(winnow.filters.GopherQuality.__module__, winnow.curate.__module__)\n"
        "print(*{module.__file__.split('/')[-2] for module in (cluster.entry, pipelines.shipped, training.batch)})\n",
    )
    assert done.stdout.splitlines()[0] == "curation.filters.gopher_quality pipelines.api", done.stderr
    assert sorted(done.stdout.splitlines()[1].split()) == ["cluster", "pipelines", "training"]


def test_the_command_in_a_folder_with_strangers(folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "winnow", "describe", "gopher_quality"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert "min_words" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("program", "begins"),
    [
        pytest.param("import pipelines\nimport winnow", "pipelines is already imported from ", id="the stranger first"),
        pytest.param("import winnow\nimport pipelines.mine", "winnow has no pipelines.mine; ", id="a module of it"),
        pytest.param("import winnow\nfrom pipelines import mine", "winnow has no pipelines.mine; ", id="from it"),
        pytest.param(
            "import winnow\nfrom pipelines import VALUE", "winnow has no pipelines.VALUE; ", id="a name in it"
        ),
    ],
)
def test_both_in_one_process(folder: Path, program: str, begins: str) -> None:
    line = run(folder, program).stderr.splitlines()[-1]
    assert line.startswith(f"ImportError: {begins}")
    assert f"winnow has a package called pipelines too ({ROOT / 'pipelines'})" in line
    assert f"rename {folder.resolve() / 'pipelines'}, or run winnow in a process of its own" in line


def test_a_module_that_nobody_has(folder: Path) -> None:
    line = run(folder, "import winnow\nimport training.nothing").stderr.splitlines()[-1]
    assert line.startswith("ImportError: winnow has no training.nothing; ")
    for stranger in ("training", "pipelines"):
        (folder / stranger / "__init__.py").unlink()
        (folder / stranger).rename(folder / f"my_{stranger}")
    line = run(folder, "import winnow\nimport training.nothing").stderr.splitlines()[-1]
    assert line == "ModuleNotFoundError: No module named 'training.nothing'"
