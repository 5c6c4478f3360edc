"""Follows metrics.jsonl while another process writes it."""

import json
import os
from pathlib import Path

from curation.core import storage
from curation.core.errors import InputError
from training.metrics.records import STORE_SECONDS, Record, local_path


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
    return StoreTail(path) if storage.in_store(path) else MetricsTail(local_path(path))


def _records(lines: bytes) -> list[Record]:
    return [json.loads(line) for line in lines.splitlines()]


def _since_resume(records: list[Record]) -> list[Record]:
    """The records from the last "resume" on, or all."""
    resumes = [i for i, record in enumerate(records) if record["kind"] in ("resume", "branch")]
    return records[resumes[-1] if resumes else 0 :]
