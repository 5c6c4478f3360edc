"""Runs fuzz targets many times in a process of its own, because what they look for may end the process.

A target is a room's function that makes, once, what its executions need, and returns the execution: a function of a
random generator that raises where something is wrong. Execution `seed` of a target draws from a generator of its own,
so that one that fails can be repeated alone: `python -m tests.fuzz.child FOLDER SEED ROOM.TARGET=1`.
"""

import faulthandler
import json
import mmap
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.peak_memory import LIMIT

Execution = Callable[[random.Random], object]
ROOT = Path(__file__).parents[2]
RUNNING = "running"  # file with the name and the seed of the execution that runs
NAME_BYTES = 100


class Target(NamedTuple):
    """`make` gets a folder for files; `soak` is the number of executions in `make soak`, `few` in the usual tests."""

    make: Callable[[Path], Execution]
    soak: int
    few: int = 10
    most_mb: int = LIMIT  # of memory, over all executions


def targets_of(room: str) -> dict[str, Target]:
    """By `room.target`; a file without targets has none."""
    targets: dict[str, Target] = getattr(import_module(f"tests.fuzz.{room}"), "TARGETS", {})
    return {f"{room}.{key}": target for key, target in targets.items()}


def fuzz(
    counts: Mapping[str, int],
    folder: Path,
    *,
    first: int = 0,
    timeout: float = 300,
    python: str = sys.executable,
    variables: Mapping[str, str] | None = None,
) -> int:
    """Executes each target with so many seeds, from `first` on; returns the peak memory in MB.

    Fails with the seed if an execution raises or ends the process, or after `timeout` seconds. `variables` are added to
    the environment.
    """
    told = [f"{name}={count}" for name, count in counts.items()]
    command = [python, "-m", __name__, str(folder), str(first), *told]
    environment = {**os.environ, **(variables or {})}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"not done after {timeout:.0f} s, at {_running(folder)}")
    if done.returncode:
        pytest.fail(f"ended with {done.returncode} at {_running(folder)}\n{done.stderr[-4000:]}")
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["executions"] == sum(counts.values())
    return int(report["peak"])


def _running(folder: Path) -> str:
    """How to repeat the execution that ran last."""
    if not (folder / RUNNING).exists():
        return "the start"
    content = (folder / RUNNING).read_bytes()
    seed = int.from_bytes(content[:8], "little")
    name = content[8:].rstrip(b"\0").decode()
    return f"seed {seed} of {name}: python -m {__name__} {folder} {seed} {name}=1"


def _main(folder: Path, first: int, counts: Mapping[str, int]) -> None:
    faulthandler.enable()
    path = folder / RUNNING
    path.write_bytes(bytes(8 + NAME_BYTES))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 8 + NAME_BYTES) as running:
        for name, count in counts.items():
            running[8:] = name.encode().ljust(NAME_BYTES, b"\0")
            execute = targets_of(name.partition(".")[0])[name].make(folder)
            for seed in range(first, first + count):
                running[:8] = seed.to_bytes(8, "little")
                execute(random.Random(f"{name} {seed}"))
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    print(json.dumps({"executions": sum(counts.values()), "peak": peak // 1024}))


if __name__ == "__main__":
    _main(
        Path(sys.argv[1]),
        int(sys.argv[2]),
        {name: int(count) for name, _, count in (arg.partition("=") for arg in sys.argv[3:])},
    )
