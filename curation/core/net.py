"""Calls components under a deadline: what exceeds a limit of time or memory on one document costs that document alone.

A call on several documents that exceeds a limit is repeated on fewer of them, until the document stands alone
(`guarded.attempt`). So a slow component loses nothing, and from then on it is called with as many rows as it manages.
"""

from collections.abc import Callable, Set
from contextlib import suppress
from time import thread_time
from typing import Any, Self, TypeVar

import pyarrow as pa

from curation.core.caught import CaughtNotes
from curation.core.watchdog import GRACE, Cause, Overrun, Watchdog, WatchedWork, WorkLimits

T = TypeVar("T")

SHARE = 4  # a call gets as many rows as take this fraction of the limit
LONG_GRACE = 3  # times the limit: so long a call on several documents may take to return, as it may just be slow

_seconds: dict[tuple[str, str], float] = {}  # (folder, key) -> those that a row took in the last call of this process


class Net:
    """A context for a unit of the stage in `folder`; `where` says what it works on, for a message."""

    def __init__(self, folder: str, unit: int, limits: WorkLimits, where: str) -> None:
        self.folder = folder
        self.limits = limits
        self.where = where
        self.notes = CaughtNotes(folder, unit, limits)
        self.watchdog = Watchdog()
        self._left_alone: dict[str, set[str]] = {}  # by key
        self._most: dict[str, int] = {}  # rows with which a component stays within the memory, by its key

    def __enter__(self) -> Self:
        self.watchdog.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self.watchdog.__exit__(*raised)

    def within(self, key: str, call: Callable[[pa.RecordBatch], T], memory: int) -> Callable[[pa.RecordBatch], T]:
        """The call, which raises Overrun where it exceeds a limit, or did so on one of the documents in an earlier
        attempt. `memory` is what the component says that it needs, which counts if it is more than the limit."""
        noted = {doc_id for name, doc_id in self.notes.documents if name == key}
        limits = WorkLimits(seconds=self.limits.seconds, memory=max(self.limits.memory, memory))

        def limited(batch: pa.RecordBatch) -> T:
            if (self.folder, key) not in _seconds:
                _seconds[self.folder, key] = 0.0
                with suppress(Exception):  # it may refuse an empty batch
                    call(batch.slice(0, 0))  # loads models and compiles code, which is no document's fault
            self._refuse(key, batch, noted | self._alone(key, batch))
            began = thread_time()
            try:
                result = self.watchdog.run(lambda: call(batch), _Call(self, key, batch, limits))
            except Overrun as error:
                self._learn(key, batch.num_rows, error)
                raise
            _seconds[self.folder, key] = (thread_time() - began) / max(batch.num_rows, 1)
            return result

        return limited

    def _alone(self, key: str, batch: pa.RecordBatch) -> set[str]:
        """Those of the documents that are to be tried one by one: the process was ended on one of them."""
        alone = self._left_alone.setdefault(key, set())
        for first, rows in self.notes.alone.get(key, {}).items():
            ids = batch["doc_id"].to_pylist()
            if first in ids and first not in alone:
                alone.update(ids[ids.index(first) :][:rows])
        return alone

    def _refuse(self, key: str, batch: pa.RecordBatch, noted: Set[str]) -> None:
        """Raises Overrun for a document that is known to exceed a limit, and for a batch that is to be cut."""
        rows = batch.num_rows
        ids = batch["doc_id"].to_pylist() if noted else ()
        if rows == 1:
            if ids and (cause := self.notes.documents.get((key, ids[0]))):
                raise Overrun(cause)
            return
        too_slow = rows * _seconds[self.folder, key] > self.limits.seconds / SHARE
        if too_slow or rows > self._most.get(key, rows) or not noted.isdisjoint(ids):
            raise Overrun("timeout")

    def _learn(self, key: str, rows: int, error: Overrun) -> None:
        """Remembers how many rows a component may have; one that exceeds the memory on a single one is not at fault."""
        if rows == 1:
            self._most.pop(key, None)
        elif error.cause == "memory":
            self._most[key] = max(rows // error.pieces, 1)


class _Call(WatchedWork):
    """A component's work on a batch."""

    def __init__(self, net: Net, key: str, batch: pa.RecordBatch, limits: WorkLimits) -> None:
        super().__init__(limits)
        self._net = net
        self._key = key
        self._batch = batch
        self.noted = batch.num_rows == 1
        self.grace = GRACE if self.noted else max(GRACE, LONG_GRACE * limits.seconds)

    def note(self, cause: Cause) -> None:
        if self.noted:
            self._net.notes.note_document(self._key, self._batch["doc_id"][0].as_py(), cause)

    def ending(self) -> dict[str, Any]:
        first = self._batch["doc_id"][0].as_py() if len(self._batch) else ""
        key = self._key.partition(".")[0]
        took = f"{key} took {{limit}} and cannot be interrupted; this is written down, and the same command goes on"
        if self.noted:
            line = f"winnow: document {first} of {self._net.where}: {took} without it, as error.{key}.{{cause}}"
            return self._net.notes.ending(f"{first}.{self._key}", {"key": self._key, "doc_id": first}, line)
        line = f"winnow: one of {len(self._batch):,} documents of {self._net.where}: {took} and tries them one by one"
        note = {"key": self._key, "alone": first, "rows": len(self._batch)}
        return self._net.notes.ending(f"alone.{first}.{self._key}", note, line)
