"""What a job meets on a head without winnow, with another, and with the one that it was submitted with."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cluster import entry, jobs
from tests.faults.nodes import SYSTEM

ROOT = Path(__file__).resolve().parents[2]


def started(folder: Path, *arguments: str, python: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    """The script in a folder of its own, as in a job's package; `-S` leaves installed packages out."""
    shutil.copy(str(entry.__file__), folder / "_winnow_job.py")
    command = [sys.executable, *python, "_winnow_job.py", *arguments]
    environment = {"PYTHONPATH": str(ROOT)} if not python else {}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_without_winnow(tmp_path: Path) -> None:
    done = started(tmp_path, "", "list", python=("-S",))
    assert done.returncode == 2
    assert done.stderr.startswith("error: the head ")
    assert "has no winnow; install the same wheel on every node (`make wheel`), or submit it" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_with_another(tmp_path: Path) -> None:
    done = started(tmp_path, "0.0.9, code 00000000", "list")
    assert done.returncode == 2
    assert f"has winnow {entry.identity()}; the job was submitted with 0.0.9, code 00000000; install" in done.stderr


def test_the_same_becomes_the_command(tmp_path: Path) -> None:
    done = started(tmp_path, entry.identity(), "curate", "no_such_recipe")
    assert done.returncode == 2
    assert "no recipe named 'no_such_recipe' is shipped" in done.stderr


@pytest.mark.parametrize("folder", ["rays", "ray's own"])
def test_the_interpreter_is_that_of_ray(tmp_path: Path, folder: str) -> None:
    """The process that starts workers is the grandparent, as in a job."""
    python = interpreter(tmp_path / folder)
    command = subprocess.list2cmdline([str(python), "setup_worker.py", "default_worker.py"])
    assert job(tmp_path, "--python_worker_command=" + command) == f"{python} _winnow_job.py 1.0, code 1 list\n"


def test_without_a_ray_above_the_interpreter_is_that_of_path(tmp_path: Path) -> None:
    assert job(tmp_path, "--other=1") == f"{tmp_path}/bin/python3 _winnow_job.py 1.0, code 1 list\n"


def interpreter(folder: Path) -> Path:
    """A `python3` that says how it is called."""
    folder.mkdir()
    (folder / "python3").write_text('#!/bin/sh\necho "$0" "$@"\n')
    (folder / "python3").chmod(0o755)
    return folder / "python3"


def job(folder: Path, option: str) -> str:
    """What the first script of a job prints below a process that has the option, and a worker."""
    script = jobs.ENTRY_FILES[jobs.START]
    worker = f"sh {shlex.quote(str(script))} '1.0, code 1' list; true"
    raylet = ["sh", "-c", f"sh -c {shlex.quote(worker)}; true", "raylet", option]
    environment = {"PATH": f"{interpreter(folder / 'bin').parent}:{SYSTEM}"}
    done = subprocess.run(raylet, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_one_changed_line_is_another_winnow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (*entry.ROOMS, "copy_winnow"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text(f'"""{room}."""\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(entry, "FACE", "copy_winnow")
    before = entry.identity()
    assert entry.identity() == before
    with (tmp_path / "curation" / "__init__.py").open("a") as file:
        file.write("# another line\n")
    assert entry.identity() != before
    monkeypatch.setattr(entry, "FACE", "copy_none")
    assert entry.identity() == ""
