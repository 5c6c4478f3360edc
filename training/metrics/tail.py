"""Follows metrics.jsonl while another process writes it, on a disk or in a store."""

import json

from curation.core import storage
from curation.core.errors import InputError
from training.metrics.records import STORE_SECONDS, Record, local_path


class MetricsTail:
    """Records that are appended to metrics.jsonl from now on, even if its writer is replaced by a resumed run."""

    def __init__(self, path: str) -> None:
        self.pause = STORE_SECONDS if storage.in_store(path) else 0.5  # seconds between two reads
        self._path = path
        self._end = 0  # bytes up to the end of the last line that was read
        self._last = b""  # that line
        self._new_lines()

    def take(self) -> list[Record]:
        """Records since the last call; nothing while the file cannot be read. After a resume that has replaced some of
        them, those of the new file begin with its "resume" record."""
        lines, replaced = self._new_lines()
        records: list[Record] = [json.loads(line) for line in lines]
        resumes = [at for at, record in enumerate(records) if replaced and record["kind"] in ("resume", "branch")]
        return records[resumes[-1] if resumes else 0 :]

    def _new_lines(self) -> tuple[list[bytes], bool]:
        """And whether they are all of a file in which the last line is no longer where it was."""
        replaced = False
        content = self._content(self._end - len(self._last))
        if content is not None and not content.startswith(self._last):
            replaced = True
            self._end, self._last = 0, b""
            content = self._content(0)
        *lines, _ = (content or b"")[len(self._last) :].split(b"\n")
        if lines:
            self._end += sum(len(line) + 1 for line in lines)
            self._last = lines[-1] + b"\n"
        return lines, replaced

    def _content(self, start: int) -> bytes | None:
        try:
            if storage.in_store(self._path):
                return storage.read_bytes(self._path)[start:]
            with local_path(self._path).open("rb") as file:
                file.seek(start)
                return file.read()
        except (InputError, OSError):
            return None
