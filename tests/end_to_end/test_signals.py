"""SIGTERM and SIGINT in the middle of a stage end the command within 10 seconds, with its code and no process left; the
same command then gives the bytes of a run that nobody stopped."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from curation.core.commits import read_group
from curation.core.progress import PROGRESS
from pipelines.ending import descendants
from tests.runs import COMMAND, ENVIRONMENT, data_hashes, hear_sigint, winnow, winnow_here, write_recipe

SECONDS = 10.0
READING = "*-extract-*/part-00003.parquet"
UNITS = 12


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_recipe(tmp_path_factory.mktemp("many"), archives=UNITS, pages=20)


@pytest.fixture(scope="module")
def expected(recipe: Path) -> dict[str, str]:
    done = winnow("curate", recipe, "--output", recipe.parent / "whole", "--cpus", "2")
    assert done.returncode == 0, done.stderr
    return data_hashes(recipe.parent / "whole")


def started(recipe: Path, output: Path) -> "subprocess.Popen[str]":
    command = [*COMMAND, "curate", str(recipe), "--output", str(output), "--cpus", "2"]
    return subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_sigint,
    )


def wait_for(process: "subprocess.Popen[str]", output: Path, moment: str) -> None:
    deadline = time.monotonic() + 240
    while not any(output.glob(moment)):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, f"no {moment}"
        time.sleep(0.01)


def begun(pid: int) -> str:
    """When the process began, which tells it from a later one with the same number; nothing where it is gone."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    return ""


def survivors(family: dict[int, str]) -> list[int]:
    return [pid for pid, when in family.items() if when and begun(pid) == when]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "moment", "twice"),
    [
        pytest.param(
            signal.SIGTERM, "*-extract-*/_commits/group-*", False, id="SIGTERM while reading", marks=pytest.mark.soak
        ),
        pytest.param(signal.SIGINT, READING, False, id="SIGINT while reading", marks=pytest.mark.soak),
        pytest.param(
            signal.SIGTERM,
            "*-gopher-*/part-00003.parquet",
            True,
            id="SIGTERM twice in a filter",
            marks=pytest.mark.soak,
        ),
        pytest.param(signal.SIGINT, "*-dedup-*/_keys/*", False, id="SIGINT in dedup"),
        pytest.param(signal.SIGTERM, PROGRESS, False, id="SIGTERM while Ray starts", marks=pytest.mark.soak),
    ],
)
def test_a_signal_ends_a_run_that_is_resumed(
    recipe: Path, expected: dict[str, str], tmp_path: Path, number: int, moment: str, twice: bool
) -> None:
    output = tmp_path / "run"
    process = started(recipe, output)
    wait_for(process, output, moment)
    family = {pid: begun(pid) for pid in descendants(process.pid)}
    sent = time.monotonic()
    process.send_signal(number)
    if twice:
        time.sleep(0.3)
        process.send_signal(number)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - sent
    assert process.returncode == 128 + number, said
    assert took < SECONDS, said
    assert said.splitlines()[-1] == "stopped; the same command resumes"
    assert "Traceback" not in said
    assert not survivors(family)
    flushed = sum(len(read_group(str(path))) for path in output.glob("*-extract-*/_commits/group-*"))
    if flushed:
        assert "has stopped" in winnow_here("status", output).stdout
    done = winnow("curate", recipe, "--output", output, "--cpus", "2")
    assert done.returncode == 0, done.stderr
    assert data_hashes(output) == expected
    assert not list(output.rglob("_partial*"))
    assert not (output / PROGRESS).exists()
    if moment not in (PROGRESS, READING):  # Ray Data tells of a unit up to 0.2 s after its end
        assert flushed > 0, "what was done is lost"


@pytest.mark.slow
def test_a_driver_that_hangs_is_ended_all_the_same(tmp_path: Path) -> None:
    script = (
        "import hashlib, subprocess, pipelines.cli as cli, pipelines.ending as ending\n"
        "ending.Ending.__init__.__defaults__ = (1.0,)\n"
        "def hang():\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        "    print(child.pid, flush=True)\n"
        "    hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)\n"  # minutes in a call that no signal interrupts
        "cli._run = hang\n"
        "cli.main()"
    )
    with subprocess.Popen([*COMMAND[:1], "-c", script], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        family = {child: begun(child)}
        time.sleep(1)  # by then it is in the call
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=30) == 143
        assert 1 <= time.monotonic() - sent < 5
    assert not survivors(family)
