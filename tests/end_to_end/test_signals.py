"""SIGTERM and SIGINT in the middle of a stage end the command within 10 seconds, with its code and no process left; the
same command then gives the bytes of a run that nobody stopped."""

import contextlib
import os
import shlex
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


def started(recipe: Path, output: Path, *options: str) -> "subprocess.Popen[str]":
    command = [*COMMAND, "curate", str(recipe), "--output", str(output), *options]
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


def send(process: "subprocess.Popen[str]", number: int) -> None:
    """SIGTERM to the command, and SIGINT as Ctrl-C sends it: to it and all that it has started."""
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)


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
        pytest.param(signal.SIGINT, PROGRESS, False, id="SIGINT while Ray starts", marks=pytest.mark.soak),
        pytest.param(signal.SIGINT, "*-tokenizer-*", False, id="SIGINT in a fit", marks=pytest.mark.soak),
    ],
)
def test_a_signal_ends_a_run_that_is_resumed(
    recipe: Path, expected: dict[str, str], tmp_path: Path, number: int, moment: str, twice: bool
) -> None:
    output = tmp_path / "run"
    process = started(recipe, output, "--cpus", "2")
    wait_for(process, output, moment)
    family = {pid: begun(pid) for pid in descendants(process.pid)}
    sent = time.monotonic()
    send(process, number)
    if twice:
        time.sleep(0.3)
        send(process, number)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - sent
    assert process.returncode == 128 + number, said
    assert took < SECONDS, said
    last = said.splitlines()[-1]
    if number == signal.SIGINT:
        assert last == f"stopped; what is finished stays. Continue with: {shlex.join(process.args)}"
    else:
        assert last == "stopped; the same command resumes"
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
@pytest.mark.parametrize(
    ("moment", "options"),
    [
        pytest.param("*-extract-*/part-00001.parquet", ("--inline",), id="inline"),
        pytest.param(READING, ("--cpus", "2"), id="in Ray", marks=pytest.mark.soak),
        pytest.param(PROGRESS, ("--cpus", "2"), id="while Ray starts", marks=pytest.mark.soak),
    ],
)
def test_a_second_ctrl_c_ends_a_run_at_once(
    recipe: Path, expected: dict[str, str], tmp_path: Path, moment: str, options: tuple[str, ...]
) -> None:
    output = tmp_path / "run"
    process = started(recipe, output, *options)
    wait_for(process, output, moment)
    family = {pid: begun(pid) for pid in descendants(process.pid)}
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.25)
    with contextlib.suppress(ProcessLookupError):  # the first one may have been enough
        os.killpg(process.pid, signal.SIGINT)
    sent = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - sent < SECONDS / 2
    assert process.returncode == 130
    assert said.splitlines()[-1].endswith(shlex.join(process.args))
    assert "Traceback" not in said
    assert not survivors(family)
    done = winnow_here("curate", recipe, "--output", output, "--inline")
    assert done.returncode == 0, done.stderr
    assert data_hashes(output) == expected


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ctrl_c_while_kernels_compile(recipe: Path, tmp_path: Path) -> None:
    """The kernels are compiled for the run, into a folder that holds none; a half-written one would break the next."""
    environment = ENVIRONMENT | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [*COMMAND, "curate", str(recipe), "--output", str(tmp_path / "run"), "--inline"]
    for files in (1, 12):
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True, preexec_fn=hear_sigint,
        ) as process:  # fmt: skip
            while len(list((tmp_path / "kernels").rglob("*.nb*"))) < files:
                assert process.poll() is None
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=30)
        assert process.returncode == 130
        assert said.splitlines()[-1].startswith("stopped; what is finished stays.")
        assert "Traceback" not in said


@pytest.mark.slow
def test_a_driver_that_hangs_is_ended_all_the_same(tmp_path: Path) -> None:
    script = (
        "import functools, hashlib, subprocess, pipelines.cli as cli\n"
        "cli.Ending = functools.partial(cli.Ending, grace=1.0)\n"
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
