"""A filter that measures the length of texts, slowly, and meets the fault that the environment names.

`FAULT` is what happens, `FAULT_FOLDER` holds marks: what happened already, and the node that is bad.
"""

import ctypes
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import ray

from curation.core.component import Signals
from curation.core.filter import Filter
from curation.core.limits import Limit
from curation.core.watcher import SIGNAL

DEADLY = "This text kills."  # stands in one document of tests/faults/harness.py


@dataclass(frozen=True, kw_only=True)
class Faulty(Filter):
    """Keeps texts of at least `min_length` bytes."""

    min_length: int = 60
    reads: ClassVar[tuple[str, ...]] = ("text", "url")
    limits: ClassVar[tuple[Limit, ...]] = (Limit("length", least="min_length"),)
    version: ClassVar[int] = 1

    def signal_types(self) -> Signals:
        return {"length": pa.int64()}

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        time.sleep(float(os.environ.get("FAULT_SLOW", "0.2")))
        _meet(os.environ.get("FAULT", ""), Path(os.environ.get("FAULT_FOLDER", "/")), batch)
        return {"length": pc.binary_length(batch.column("text")).cast(pa.int64())}


def _meet(fault: str, folder: Path, batch: pa.RecordBatch) -> None:
    if fault == "segfault" and any(DEADLY in text for text in batch.column("text").to_pylist()):
        os._exit(139)
    if fault == "stuck" and any(DEADLY in text for text in batch.column("text").to_pylist()):
        signal.pthread_sigmask(signal.SIG_BLOCK, {SIGNAL})
        ctypes.PyDLL(None).sleep(1000)  # like a library's loop, which neither ends nor lets Python run
    if fault == "bad disk" and _on_bad_node(folder):
        raise OSError(5, "Input/output error")
    if fault == "slow disk" and _on_bad_node(folder):
        time.sleep(30.0)
    if fault == "kernel" and _first(folder / f"kernel-{_file(batch)}"):
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does where memory runs out
    if fault == "memory" and _first(folder / f"memory-{_file(batch)}"):
        raise MemoryError
    if fault == "error" and any(DEADLY in text for text in batch.column("text").to_pylist()):
        raise ValueError("a text that it cannot measure")
    if fault in ("always", "error") and _file(batch) == "3":
        raise OSError(5, "Input/output error")
    if fault == "lose" and _on_bad_node(folder) and _first(folder / "working"):
        time.sleep(30.0)  # the node is killed meanwhile
    if fault == "stop" and _first(folder / "stopped"):
        (folder / "pid").write_text(f"{os.getpid()} {_file(batch)}")
        time.sleep(1.0)  # the test stops this process here


def _on_bad_node(folder: Path) -> bool:
    return bool(ray.get_runtime_context().get_node_id() == (folder / "bad_node").read_text())


def _file(batch: pa.RecordBatch) -> str:
    """The number of the input file that the documents came from."""
    url: str = batch.column("url")[0].as_py()
    return url.removeprefix("http://").partition("-")[0]


def _first(mark: Path) -> bool:
    """True once per mark, also where several processes ask."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
