"""The progress of a run: metrics.jsonl with one record per line, speed, and peak rates of hardware.

A record's `kind` is "step" (step, loss, learning_rate, gradient_norm, tokens, tokens_per_second, seconds, mfu),
"validation" (step, loss, perplexity, bits_per_byte, unigram_entropy, ratio), "checkpoint" (step, seconds that it took),
"start" and "resume" (step, workers, next_line, which is the step of the next record; of a resume also checkpoint, its
folder, and damaged, what is wrong with newer ones) or "result". `step` counts finished updates; `tokens` counts what
they read, padding included.
"""

import json
import math
import os
import time
from pathlib import Path
from typing import Any

import torch

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError

Record = dict[str, Any]  # a line of metrics.jsonl
STORE_SECONDS = 5.0  # between two writes of metrics.jsonl in an object store, and between two reads of it
# Dense bfloat16 peak in FLOP/s by a substring of the device's name, from the makers' data sheets.
PEAKS = {"H200": 989e12, "H100 PCIe": 756e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "A10": 125e12}


class MetricsFile:
    """metrics.jsonl, written by one process. Opening it for a resume drops the steps that will be replayed."""

    def __init__(self, path: str, *, resumed_at: int) -> None:
        goes_on = resumed_at > 0 and storage.exists(path)
        lines = storage.read_bytes(path).splitlines(keepends=True) if goes_on else []
        whole = (line for line in lines if line.endswith(b"\n"))  # the last may have been cut off
        self._path = path
        self._written = time.monotonic()
        self._lines = [line for line in whole if json.loads(line)["step"] <= resumed_at]
        # The old file is replaced, not rewritten, so that `MetricsTail` notices.
        storage.replace_bytes(path, b"".join(self._lines))
        self._file = None if storage.in_store(path) else _local(path).open("ab")

    def write(self, record: Record) -> None:
        """Flushed at once, so that a killed process loses no line. A store takes only whole files: there the file is
        replaced every STORE_SECONDS, and before each checkpoint."""
        line = json.dumps(record).encode() + b"\n"
        if self._file:
            self._file.write(line)
            self._file.flush()
            return
        self._lines.append(line)
        if record["kind"] in ("checkpoint", "result") or time.monotonic() - self._written > STORE_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Called before a checkpoint: a resumed run does not repeat the steps before it, so their lines must be safe,
        even if power fails."""
        if self._file:
            os.fsync(self._file.fileno())
            return
        storage.write_bytes(self._path, b"".join(self._lines))
        self._written = time.monotonic()

    def close(self) -> None:
        if self._file:
            self._file.close()


class MetricsTail:
    """Records that are appended to metrics.jsonl from now on, even if its writer is replaced by a resumed run."""

    pause = 0.5  # seconds between two reads

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("rb") if path.exists() else None
        self._unfinished = b""
        if self._file:
            self._file.seek(0, os.SEEK_END)

    def take(self) -> list[Record]:
        """Records since the last call. After a resume, those of the new file begin with its "resume" record."""
        records = self._read()
        same = self._file and self._path.exists() and os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        if self._path.exists() and not same:
            self.close()
            self._file = self._path.open("rb")
            self._unfinished = b""
            records += _since_resume(self._read())
        return records

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _read(self) -> list[Record]:
        if not self._file:
            return []
        *lines, self._unfinished = (self._unfinished + self._file.read()).split(b"\n")
        return [json.loads(line) for line in lines]


class StoreTail:
    """As `MetricsTail`, for a file in a store, which is replaced whole each time."""

    pause = STORE_SECONDS

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen = b""
        self._seen = self._content()

    def take(self) -> list[Record]:
        """As `MetricsTail.take`; nothing while the store does not answer."""
        before = self._seen
        self._seen = self._content()
        if self._seen.startswith(before):
            return _records(self._seen[len(before) :])
        return _since_resume(_records(self._seen))

    def close(self) -> None: ...

    def _content(self) -> bytes:
        try:
            return storage.read_bytes(self._path)
        except InputError:
            return self._seen


def metrics_tail(path: str) -> MetricsTail | StoreTail:
    return StoreTail(path) if storage.in_store(path) else MetricsTail(_local(path))


def _local(path: str) -> Path:
    return Path(storage.resolve(path)[1])


def _records(lines: bytes) -> list[Record]:
    return [json.loads(line) for line in lines.splitlines()]


def _since_resume(records: list[Record]) -> list[Record]:
    """The records from the last "resume" on, or all."""
    resumes = [i for i, record in enumerate(records) if record["kind"] == "resume"]
    return records[resumes[-1] if resumes else 0 :]


class Speed:
    """Tokens per second between two records, without the time spent on checkpoints and validation."""

    def __init__(self) -> None:
        self._started = self._resumed = time.perf_counter()
        self._worked = 0.0
        self._tokens = 0

    def add(self, tokens: int) -> None:
        self._tokens += tokens

    def pause(self) -> None:
        self._worked += time.perf_counter() - self._resumed

    def resume(self) -> None:
        self._resumed = time.perf_counter()

    def take(self) -> tuple[float, float]:
        """Tokens per second since the last call, and seconds since the start of this process's training."""
        self.pause()
        self.resume()
        rate = self._tokens / max(self._worked, 1e-9)
        self._worked = 0.0
        self._tokens = 0
        return rate, time.perf_counter() - self._started


def peak_flops(device: torch.device) -> float | None:
    """FLOP/s of one device in bfloat16; None for a CPU or a GPU that is not in PEAKS."""
    if device.type != "cuda":
        return None
    name = torch.cuda.get_device_name(device)
    return next((peak for part, peak in PEAKS.items() if part in name), None)


def describe(record: Record) -> str:
    """One line for a terminal."""
    step = f"step {record['step']:,}"
    if record["kind"] == "step":
        rate = f"{record['tokens_per_second']:,.0f} tokens/s"
        return f"{step}: loss {record['loss']:.3f}, learning rate {record['learning_rate']:.2e}, {rate}"
    if record["kind"] == "validation":
        side = "below" if record["ratio"] <= 1 else "above"
        against = f"{abs(1 - record['ratio']):.1%} {side} the unigram entropy of {record['unigram_entropy']:.3f}"
        return f"{step}: validation loss {record['loss']:.3f} nats/token, {against}"
    if record["kind"] == "result":
        return f"finished after {step} with a validation loss of {record['validation_loss']:.3f} nats/token"
    if record["kind"] == "checkpoint":
        return f"{step}: checkpoint written"
    return f"{_beginning(record)}; the next figures come after step {record['next_line']:,}"


def _beginning(record: Record) -> str:
    workers = "1 worker" if record["workers"] == 1 else f"{record['workers']} workers"
    if record["kind"] == "start":
        return f"training from the beginning on {workers}"
    passed = f" (not from newer ones, which are damaged: {'; '.join(record['damaged'])})" if record["damaged"] else ""
    return f"resuming after step {record['step']:,} from {masked(record['checkpoint'])}{passed} on {workers}"


def finite(value: float, name: str, step: int) -> float:
    """The value. Raises FloatingPointError if it is infinite or NaN."""
    if not math.isfinite(value):
        advice = "lower the optimizer's learning_rate or lengthen the schedule's warm-up"
        raise FloatingPointError(f"{name} is {value} at step {step:,}; {advice}")
    return value
