"""Killed at any moment, the same command finishes the run, and every byte of decisions and tokens is the same.

The moments are tied to what a stage has just written, so that reading, the exchange, sealing, fitting, packing and
mixing are all hit, with a seeded delay after each. SIGKILL goes to the driver's process group or to one Ray worker.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs import COMMAND, ENVIRONMENT, data_hashes, winnow

# What must have appeared in the run's folder before the kill; in the order in which a run writes it.
DRIVER_MOMENTS = [
    "*-extract-*",
    "*-extract-*/part-00000.parquet",
    "*-extract-*/_commits/*",
    "*-extract-*/_keys/*.arrow",
    "*-extract-*/_buckets/bucket-00000.parquet",
    "*-extract-*/_manifest.json",
    "*-language-*/part-*",
    "*-gopher-*/_commits/group-*",
    "*-gopher-*/_manifest.json",
    "*-dedup-*/_keys/group-*",
    "*-dedup-*/_collided/*.arrow",
    "*-dedup-*/_elected/*.arrow",
    "*-dedup-*/part-00001.parquet",
    "*-dedup-*/_manifest.json",
    "*-tokenizer-*",
    "*-tokenizer-*/tokenizer.json",
    "*-tokenize-*/part-*",
    "*-pack-*/tokens-00000.bin",
    "*-pack-*/_commits/group-*",
    "*-pack-*/_manifest.json",
    "*-mix-*",
]
WORKER_MOMENTS = [
    "*-extract-*/part-00000.parquet",
    "*-extract-*/_keys",
    "*-gopher-*",
    "*-dedup-*/_keys",
    "*-dedup-*/_collided",
    "*-tokenize-*",
    "*-pack-*",
]


@pytest.fixture
def recipe(finished_run: Path) -> Path:
    return finished_run / "small.yaml"


@pytest.fixture
def expected(finished_run: Path) -> dict[str, str]:
    """Hashes of an uninterrupted run on two CPUs."""
    return data_hashes(finished_run / "run")


def started(recipe: Path, output: Path) -> "subprocess.Popen[bytes]":
    command = [*COMMAND, "curate", str(recipe), "--output", str(output), "--cpus", "2"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=quiet, stderr=quiet, start_new_session=True)


def reached(process: "subprocess.Popen[bytes]", output: Path, moment: str) -> bool:
    """Waits until the moment's file is there; false where the run ended first."""
    while process.poll() is None:
        if next(output.glob(moment), None) is not None:
            return True
        time.sleep(0.005)
    return False


def killed(recipe: Path, output: Path, moments: list[str], rng: random.Random) -> int:
    """Runs the recipe once for each moment and kills the driver soon after it; returns how often it came to that."""
    kills = 0
    for moment in moments:
        process = started(recipe, output)
        if reached(process, output, moment):
            time.sleep(rng.uniform(0, 0.1))
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    return kills


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param(DRIVER_MOMENTS[2::8], id="some", marks=pytest.mark.slow),
        pytest.param(DRIVER_MOMENTS, id="all", marks=pytest.mark.soak),
    ],
)
@pytest.mark.timeout(1500)
def test_the_driver_killed_at_each_step(
    recipe: Path, expected: dict[str, str], tmp_path: Path, moments: list[str]
) -> None:
    output = tmp_path / "run"
    kills = killed(recipe, output, moments, random.Random(1))
    done = winnow("curate", recipe, "--output", output, "--cpus", "2")
    assert done.returncode == 0, done.stderr
    assert kills >= len(moments) * 6 // 7  # a step may be over before it is seen
    assert data_hashes(output) == expected


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """(pid, command line) of all processes below one."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for child in map(int, children.read_text().split() if children.exists() else []):
        try:
            line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        yield child, line
        yield from descendants(child)


def busy_worker(pid: int, rng: random.Random) -> int | None:
    """A Ray worker of the driver that runs one of our steps."""
    workers = [child for child, line in descendants(pid) if "ray::" in line and "_run_row" in line]
    return rng.choice(sorted(workers)) if workers else None


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_workers_killed_at_work(recipe: Path, expected: dict[str, str], tmp_path: Path) -> None:
    rng = random.Random(2)
    output = tmp_path / "run"
    process = started(recipe, output)
    kills = 0
    for moment in WORKER_MOMENTS:
        if not reached(process, output, moment):
            break
        patience = time.monotonic() + 2
        while (worker := busy_worker(process.pid, rng)) is None and time.monotonic() < patience:
            time.sleep(0.002)
        if worker is not None:
            os.kill(worker, signal.SIGKILL)
            kills += 1
    assert process.wait() == 0
    assert kills >= 3
    assert data_hashes(output) == expected


@pytest.mark.slow
def test_one_and_two_cpus_give_the_same_bytes(recipe: Path, expected: dict[str, str], tmp_path: Path) -> None:
    done = winnow("curate", recipe, "--output", tmp_path / "run", "--cpus", "1")
    assert done.returncode == 0, done.stderr
    assert data_hashes(tmp_path / "run") == expected
