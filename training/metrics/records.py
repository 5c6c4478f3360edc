"""The progress of a run: metrics.jsonl with one record per line.

A record's `kind` is "step" (step, loss, learning_rate, gradient_norm, tokens, tokens_per_second, seconds, waited for
data as a share of the time, mfu with all of attention's scores and mfu_causal with those that a causal mask leaves,
norms by part, labels_share where only hard rows are learnt from, parts of the loss where there are several, and probe,
energy_consumed and problems of the machines, see `training.health.watch`), "validation" (step, loss, perplexity,
bits_per_byte, labels, unigram_entropy, ratio, the same by `sources` where there are several, and what
`training.watch.logits` hears), "checkpoint" (step, seconds until it was complete, and stall: those in which the
training waited; later than the record of its step), "start" and "resume" (step, workers, layout, next_line, which is
the step of the next record; of a resume also checkpoint, its folder, and damaged, what is wrong with newer ones),
"branch" (as "resume", of a run that begins with another one's checkpoint: its run, the changes of settings, and the
learning_rates before and after), "profile" (step, seconds by part) or "result". `step`
counts finished updates; `tokens` counts what they read, padding included.
"""

import json
import os
import time
from pathlib import Path
from typing import Any, Required, TypedDict, cast

from curation.core import storage
from curation.core.credentials import masked
from curation.core.json_files import parse_lines
from curation.core.shapes import Count, Number

Record = dict[str, Any]  # a line of metrics.jsonl


class RecordShape(TypedDict, total=False):
    """What readers of metrics.jsonl look into; a loss that is no number ends the training that wrote it."""

    kind: Required[str]
    step: Required[Count]
    loss: Number
    learning_rate: Number
    gradient_norm: Number
    tokens_per_second: Number
    mfu: Number | None
    layout: dict[str, Count]
    run: str


STORE_SECONDS = 5.0  # between two writes of metrics.jsonl in an object store, and between two reads of it


class MetricsFile:
    """metrics.jsonl, written by one process. Opening it for a resume drops the steps that will be replayed."""

    def __init__(self, path: str, *, resumed_at: int) -> None:
        goes_on = resumed_at > 0 and storage.exists(path)
        lines = _whole_lines(path) if goes_on else []
        records = _records(path, lines)
        self._path = path
        self._written = time.monotonic()
        self._lines = [line for line, record in zip(lines, records, strict=True) if record["step"] <= resumed_at]
        storage.replace_bytes(path, b"".join(self._lines))
        self._file = None if storage.in_store(path) else local_path(path).open("ab")

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


def read_records(path: str) -> list[Record]:
    """The records of a metrics.jsonl; a last line that is not whole yet is left out. Raises InputError if there is no
    such file, and for a line that is no record."""
    return _records(path, _whole_lines(path))


def _records(path: str, lines: list[bytes]) -> list[Record]:
    return cast(list[Record], parse_lines(lines, RecordShape, path, "delete the line, or restore the file from a copy"))


def _whole_lines(path: str) -> list[bytes]:
    """The last may have been cut off."""
    return [line for line in storage.read_bytes(path).splitlines(keepends=True) if line.endswith(b"\n")]


def local_path(path: str) -> Path:
    return Path(storage.resolve(path)[1])


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
    if "line" in record:  # of a watch
        return f"{step}: {record['line']}"
    return f"{_beginning(record)}; the next figures come after step {record['next_line']:,}"


def _beginning(record: Record) -> str:
    workers = "1 worker" if record["workers"] == 1 else f"{record['workers']} workers"
    if record["kind"] == "start":
        return f"training from the beginning on {workers}"
    if record["kind"] == "branch":
        before, after = record["learning_rates"]
        replaced = tuple(f"{name}." for name in record["changes"])  # components; the options of new ones had no value
        changes = [
            f"{name.removeprefix('config.')} {'' if name.startswith(replaced) else f'{was} → '}{now}"
            for name, (was, now) in record["changes"].items()
        ]
        listed = ", ".join([*changes, f"learning rate {before:.3g} → {after:.3g}"])
        return f"branching off {masked(record['run'])} after step {record['step']:,} on {workers}; {listed}"
    passed = f" (not from newer ones, which are damaged: {'; '.join(record['damaged'])})" if record["damaged"] else ""
    return f"resuming after step {record['step']:,} from {masked(record['checkpoint'])}{passed} on {workers}"
