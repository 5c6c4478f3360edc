"""A document that takes a component too much time or memory costs itself, in every attempt, and nothing else."""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from curation.core.guarded import attempt
from curation.core.net import Net
from curation.core.reasons import error_reason
from curation.core.watchdog import WorkLimits
from tests.support import documents

LIMITS = WorkLimits(seconds=0.2, memory=1 << 30)
MEMORY = WorkLimits(seconds=60, memory=32 << 20)
SLOW = re.compile(r"(a|a)*b")
TEXTS = [f"text {number}" for number in range(4)]


def loops(text: str) -> int:
    while text == "bad":
        pass
    return len(text)


def loops_in_a_pattern(text: str) -> int:
    return len(text if text != "bad" else SLOW.findall("a" * 60))


def swallows(text: str) -> int:
    while text == "bad":
        try:
            loops(text)
        except BaseException:  # as some libraries do
            time.sleep(0)
            swallowed.append(text)
            if len(swallowed) > 1:
                raise
    return len(text)


def sleeps(text: str) -> int:
    if text == "bad":
        time.sleep(60)
    return len(text)


def allocates(text: str) -> int:
    held = []
    while text == "bad":
        held.append(bytearray(1 << 20))
    return len(text)


swallowed: list[str] = []


def outcomes(folder: Path, per_text: Callable[[str], int], texts: list[str], limits: WorkLimits = LIMITS) -> list[Any]:
    """The result for each text, by a call on all of them."""

    def call(batch: pa.RecordBatch) -> list[int]:
        return [per_text(text) for text in batch["text"].to_pylist()]

    with Net(str(folder), 3, limits, "unit 3, here.parquet") as net:
        found = attempt(net.within("counts", call, 0), documents(*texts))
    assert [row for piece, _ in found for row in piece["text"].to_pylist()] == texts
    return [
        one
        for piece, result in found
        for one in ([error_reason("counts", result)] * len(piece) if isinstance(result, Exception) else result)
    ]


@pytest.mark.parametrize(
    ("per_text", "cause"),
    [
        pytest.param(loops, "timeout", id="a loop"),
        pytest.param(loops_in_a_pattern, "timeout", id="a pattern"),
        pytest.param(swallows, "timeout", id="an interruption that is swallowed"),
        pytest.param(allocates, "memory", id="memory"),
    ],
)
def test_the_document_is_dropped_and_not_tried_again(
    tmp_path: Path, per_text: Callable[[str], int], cause: str
) -> None:
    texts = [*TEXTS[:2], "bad", *TEXTS[2:]]
    limits = MEMORY if cause == "memory" else LIMITS
    expected = [f"error.counts.{cause}" if text == "bad" else len(text) for text in texts]
    assert outcomes(tmp_path, per_text, texts, limits) == expected
    (note,) = (json.loads(path.read_text()) for path in (tmp_path / "_caught" / "unit-00003").iterdir())
    assert (note["key"], note["cause"]) == ("counts", cause)
    assert note["doc_id"] == documents(*texts)["doc_id"][2].as_py()
    tried: list[str] = []

    def again(text: str) -> int:
        tried.append(text)
        return len(text)

    assert outcomes(tmp_path, again, texts, limits) == expected
    assert sorted(tried) == sorted(TEXTS)


def test_a_slow_component_loses_no_document_and_is_called_with_fewer_rows(tmp_path: Path) -> None:
    sizes: list[int] = []

    def call(batch: pa.RecordBatch) -> int:
        sizes.append(batch.num_rows)
        began = time.thread_time()
        while time.thread_time() - began < 0.005 * batch.num_rows:
            pass
        return int(batch.num_rows)

    batch = documents(*map(str, range(32)))
    limits = WorkLimits(seconds=0.05, memory=1 << 30)
    with Net(str(tmp_path), 0, limits, "unit 0") as net:
        limited = net.within("slow", call, 0)
        found = [*attempt(limited, batch), *attempt(limited, batch)]
    assert sum(result for _, result in found if isinstance(result, int)) == 64, "none is an error"
    assert sizes[:4] == [0, 32, 2, 2], "an empty batch first, so that models are loaded; then all; then a sixteenth"
    assert max(sizes[2:]) == 2, "the second batch is not tried as a whole"
    assert not (tmp_path / "_caught").exists()


def test_an_interruption_in_another_thread_than_the_main_one(tmp_path: Path) -> None:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(outcomes(tmp_path, loops, ["a", "bad", "ccc"])))
    thread.start()
    thread.join()
    assert found == [1, "error.counts.timeout", 3]


def test_work_that_waits_has_a_limit_too(tmp_path: Path) -> None:
    limits = WorkLimits(seconds=0.01, memory=1 << 30)  # twenty times as long
    assert outcomes(tmp_path, sleeps, ["bad"], limits) == ["error.counts.timeout"]


STUCK = """
import ctypes, signal, sys
import pyarrow as pa
from curation.core import net, watchdog
from curation.core.guarded import attempt

net.GRACE = 0.3
net.LONG_GRACE = 1

def call(batch):
    if "bad" in batch["text"].to_pylist():
        signal.pthread_sigmask(signal.SIG_BLOCK, {watchdog.SIGNAL})  # like a loop, which no signal ends
        HOLD.sleep(1000)
    return batch.num_rows

HOLD = ctypes.PyDLL(None) if sys.argv[2] == "held" else ctypes.CDLL(None)
batch = pa.record_batch({"doc_id": ["x", "y", "z"], "text": ["good", "bad", "fine"]})
with net.Net(sys.argv[1], 7, watchdog.WorkLimits(seconds=0.01, memory=1 << 30), "unit 7, a.parquet") as one:
    found = attempt(one.within("stuck", call, 0), batch)
print([str(result) for _, result in found])
"""


@pytest.mark.parametrize("lock", ["free", "held"], ids=["Python's lock is free", "Python's lock is held"])
def test_work_that_cannot_be_interrupted_ends_the_process_and_the_next_goes_on(tmp_path: Path, lock: str) -> None:
    said = []
    for _ in range(3):
        command = [sys.executable, "-c", STUCK, str(tmp_path), lock]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
        said.append((ended.returncode, ended.stderr.strip(), ended.stdout.strip()))
    took = "stuck took more than 0.01 s of processor time and cannot be interrupted; this is written down, and the same"
    assert said == [
        (-9, f"winnow: one of 3 documents of unit 7, a.parquet: {took} command goes on and tries them one by one", ""),
        (-9, f"winnow: document y of unit 7, a.parquet: {took} command goes on without it, as error.stuck.timeout", ""),
        (0, "", "['1', 'exceeded the limit on processor time', '1']"),
    ]
