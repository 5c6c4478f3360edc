"""What `make` is given reaches the commands as it was written: blanks, quotes and what a shell would read otherwise."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"
SHOW = '#!/bin/sh\nfor one in "$@"; do printf \'<%s>\' "$one"; done; echo\n'


def made(folder: Path, target: str, *variables: str) -> list[str]:
    """The commands that a target ran, each argument in <>, with nothing installed."""
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("winnow", "python"):
        (tools / name).write_text(SHOW)
        (tools / name).chmod(0o755)
    shutil.copy(MAKEFILE, folder)
    for name in ("pyproject.toml", "constraints.txt", ".venv/.curate", ".venv/.train"):
        (folder / name).touch()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "-s", target, *variables]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
@pytest.mark.parametrize(
    ("target", "variables", "shown"),
    [
        ("curate", ["INPUT=x/*.gz y/*.gz"], "<curate><web><--input><x/*.gz><--input><y/*.gz><--output><runs/web>"),
        ("curate", [r"INPUT=a\ b/*.gz"], "<curate><web><--input><a b/*.gz><--output><runs/web>"),
        ("curate", ["INPUT=it's;id"], "<curate><web><--input><it's;id><--output><runs/web>"),
        ("curate", ["INPUT=x", "OUTPUT=a b's;id"], "<curate><web><--input><x><--output><a b's;id>"),
        ("curate", ["INPUT=x", "RECIPE=a b/c d.yaml"], "<curate><a b/c d.yaml><--input><x><--output><runs/c-d>"),
        ("curate", ["OUTPUT="], "<curate><demo><--input><runs/demo-crawl/*.warc.gz><--output><>"),
        ("train", ["TRAIN=my t.yaml", "OUTPUT=a b"], "<train><my t.yaml><--data><a b><--output><a b-model>"),
        ("train", ["MODEL=a b"], "<train><demo><--data><runs/demo><--output><a b>"),
        (
            "train",
            ["steps=9", "parallel.zero=2", "MODEL=m", "batch_stages=[{steps: 1, rows: 2}]", "objective=it's"],
            "<train><demo><objective=it's><batch_stages=[{steps: 1, rows: 2}]><parallel.zero=2><steps=9>"
            "<--data><runs/demo><--output><m>",
        ),
        (
            "train",
            ["WORKERS=3", "FROM=my runs/a@5"],
            "<train><demo><--data><runs/demo><--output><runs/demo-model><--from><my runs/a@5><--workers><3>",
        ),
        (
            "submit-curate",
            ["INPUT=s3://a/*.gz", "OUTPUT=s3://b/run", "RECIPE=my r.yaml", "ADDRESS=http://h:1", "WHEEL=dist/a b.whl"],
            "<submit><--address><http://h:1><--wheel><dist/a b.whl><--><curate><my r.yaml><--input><s3://a/*.gz>"
            "<--output><s3://b/run>",
        ),
        (
            "submit-train",
            ["OUTPUT=s3://b/run", "WORKERS=8", "seed=1"],
            "<submit><--><train><demo><seed=1><--data><s3://b/run><--output><s3://b/run-model><--workers><8>",
        ),
    ],
)
def test_variables(tmp_path: Path, target: str, variables: list[str], shown: str) -> None:
    assert shown in made(tmp_path, target, *variables)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
@pytest.mark.parametrize("variables", [["OUTPUT=a b's;id"], ["OUTPUT=a b's;id", "INPUT=x"]], ids=["demo", "input"])
def test_curating_ends_with_the_report_of_its_run(tmp_path: Path, variables: list[str]) -> None:
    assert made(tmp_path, "curate", *variables)[-1] == "<report><a b's;id>"


PYTHON = """#!/bin/sh
case "$*" in *venv*) mkdir -p .venv/bin; for one in python pip winnow; do cp "$0" .venv/bin/$one; done;; esac
printf '<%s>' "$(basename "$0")" "$@"; echo
test ! -e cut || case "$0 $*" in *pip*install*-e*) kill -9 $PPID; exit 1;; esac
"""


def curated(folder: Path, *, options: str = "-s") -> str:
    """What `make curate` says and runs in a folder with a Makefile, with a Python that only shows its arguments."""
    shutil.copy(MAKEFILE, folder)
    for name in ("pyproject.toml", "constraints.txt"):
        (folder / name).touch()
    python = folder / "python3"
    python.write_text(PYTHON)
    python.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", options, "curate", "INPUT=x", f"PYTHON={python}"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


def fault(said: str) -> str:
    """Why the .venv was made again; nothing where it was not."""
    start = ".venv cannot be used ("
    return said.partition(start)[2].partition(")")[0] if start in said else ""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_a_venv_that_cannot_work_is_made_again(tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/gone/python3")
    (tmp_path / ".venv" / ".curate").touch()
    shown = curated(tmp_path, options="-n")
    assert (fault(shown), (tmp_path / ".venv" / ".curate").exists()) == ("", True)  # a dry run removes nothing
    said = curated(tmp_path)
    assert fault(said) == "its Python is gone, it was moved, or it has no pip"
    assert "<python3><-m><venv><.venv>" in said
    assert "<winnow><curate><web><--input><x>" in said
    assert fault(curated(tmp_path)) == ""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_an_installation_that_was_cut_off_is_begun_again(tmp_path: Path) -> None:
    (tmp_path / "cut").touch()
    assert "<winnow>" not in curated(tmp_path)
    (tmp_path / "cut").unlink()
    said = curated(tmp_path)
    assert fault(said) == "an installation was interrupted"
    assert "<winnow><curate>" in said


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_a_venv_that_was_moved_is_made_again(tmp_path: Path) -> None:
    venv.create(tmp_path / "a" / ".venv", symlinks=True)
    for folder, moved in (("a", ""), ("b", "its Python is gone, it was moved, or it has no pip")):
        (tmp_path / folder / ".venv" / "bin" / "pip").write_text(f"#!{tmp_path}/a/.venv/bin/python\n")
        site = next((tmp_path / folder / ".venv" / "lib").glob("python*")) / "site-packages"
        (site / "pip.py").touch()
        assert fault(curated(tmp_path / folder)) == moved
        if folder == "a":
            (tmp_path / "a").rename(tmp_path / "b")


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_cleaning_keeps_the_data(tmp_path: Path) -> None:
    shutil.copy(MAKEFILE, tmp_path)
    for name in ("runs/demo", ".venv/bin", "site", "dist"):
        (tmp_path / name).mkdir(parents=True)
    subprocess.run(["make", "-s", "clean"], cwd=tmp_path, check=True)
    assert {path.name for path in tmp_path.iterdir()} == {"Makefile", "runs"}
    assert (tmp_path / "runs" / "demo").exists()
