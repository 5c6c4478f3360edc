"""Reads files under a deadline: a document that exceeds a limit is dropped alone, and where no document is to blame,
reading the file ends there.

A source passes what it makes of a document through `converted` or `each`, which do nothing where nobody watches. A file
may take as long as it needs while it advances: by a row, a document, or more bytes read.

Where reading a file ends is written down, and the unit begins again: so the attempt that counts has the same rows and
the same figures as any later one.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

import pyarrow as pa

from curation.core import watchdog, watcher
from curation.core.catalog import key_of
from curation.core.caught import EndOfReading, hashed
from curation.core.credentials import masked
from curation.core.net import Net
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.watchdog import Cause, Overrun, WorkLimits

T = TypeVar("T")

NOBODY = -1  # in place of a document's number
UNKNOWN = -1  # rows pulled, before `pulled` is asked


class BeginAgainError(Exception):
    """Reading a file exceeded a limit, which is written down now."""


class OpenFile(watchdog.WatchedWork):
    """A file that is read, and how far: the rows that were `pulled` for batches, and those `given` to the stage.
    Calls on documents are counted, because they come in the same order in every attempt."""

    waits = False  # stores, locks and git have time limits of their own

    def __init__(self, net: Net, key: str, path: str, memory: int, tally: ReadTally) -> None:
        super().__init__(WorkLimits(seconds=net.limits.seconds, memory=max(net.limits.memory, memory)))
        self.end = net.notes.ends.get(hashed(path))
        records = net.notes.records.items()
        self._known = {number: cause for (file, number), cause in records if file == hashed(path)}
        self._net = net
        self._key = key
        self._path = path
        self._tally = tally
        self._blamed: int | None = None  # the document's number, or NOBODY, when the piece was interrupted
        self.pulled = UNKNOWN
        self.given = 0
        self.number = NOBODY  # of the call on a document that runs now, or NOBODY
        self._calls = 0

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it is."""
        return self.pulled, self.given, self.number

    @property
    def all_given(self) -> bool:
        """Whether reading ended here in an earlier attempt, by the rows given."""
        return self.end is not None and self.end.pulled == UNKNOWN and self.given >= self.end.given

    @property
    def all_pulled(self) -> bool:
        """The same by the rows pulled."""
        return self.end is not None and self.end.pulled != UNKNOWN and self.pulled >= self.end.pulled

    def pull(self) -> None:
        """One more row."""
        self.pulled += 1
        self._net.watchdog.slots[watcher.PULLED] = self.pulled

    def converted(self, call: Callable[[], T]) -> T | Overrun:
        """The result of a call on one document."""
        number = self._calls
        self._calls += 1
        if self._known and number in self._known:
            return Overrun(self._known[number])
        counted = dict(self._tally.records)
        result: T | None = None
        try:
            self._at(number)
            result = call()
            self._at(NOBODY)
        except BaseException as error:
            self._at(NOBODY)
            if self._blamed != number or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
                raise
        if self._blamed != number:
            return cast(T, result)
        self._net.watchdog.pause()
        self._tally.records.clear()
        self._tally.records.update(counted)
        outcome = Overrun(self.cause or "timeout")
        self.cause = self._blamed = None
        self._net.watchdog.resume(self)
        return outcome

    def note(self, cause: Cause) -> None:
        self._blamed = self.number
        if self.number != NOBODY:
            self._net.notes.note_record(self._path, self.number, cause)
        else:
            pulled = UNKNOWN if self.end else self.pulled  # the second time, what is in hand keeps the source busy
            self._net.notes.note_end(self._path, EndOfReading(pulled, self.given, cause))

    def ending(self) -> dict[str, Any]:
        line = (
            f"winnow: reading {masked(self._path)} took {self._key} {{limit}} without a new document and cannot be "
            "interrupted; this is written down, and the same command goes on without what takes so long"
        )
        note = {"file": hashed(self._path)}
        return self._net.notes.ending(hashed(self._path), note, line, again=self.end is not None)

    def _at(self, number: int) -> None:
        self.number = number
        slots = self._net.watchdog.slots
        slots[watcher.NUMBER] = number
        slots[watcher.ADVANCED] += 1


def read_file(net: Net, source: Source, piece: Piece, name: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
    """Yields what the source reads of a file. Raises BeginAgainError where that exceeds a limit."""
    file = OpenFile(net, key_of(type(source)), piece.path, source.needs().memory, tally)
    batches = source.read((piece,), name, tally)
    while not file.all_given:
        try:
            batch = net.watchdog.run(lambda: next(batches, None), file)
        except Overrun as error:
            raise BeginAgainError(f"{masked(piece.path)}: {error}") from None
        if batch is None:
            break
        file.given += len(batch)
        yield batch
    if file.end is not None:
        _note_end(file.end, piece, file, tally)


def _note_end(end: EndOfReading, piece: Piece, file: OpenFile, tally: ReadTally) -> None:
    """Counts the end of reading as a record of the file that could not be read."""
    counts = piece.path in tally.files and tally.files[piece.path].rows
    took = file.limits.words(end.cause)
    tally.skip(piece.path, end.cause, NOBODY, f"reading ends after {file.given:,} rows, as going on took {took}")
    if not counts:
        tally.files[piece.path].called = "record"
        tally.files[piece.path].read += file.given


def converted(call: Callable[[], T]) -> T | Overrun:
    """The result of a call on a document, or that it exceeds a limit."""
    file = watchdog.open_piece()
    return file.converted(call) if isinstance(file, OpenFile) else call()


_NONE: Any = object()


def each(documents: Iterable[T]) -> Iterator[T | Overrun]:
    """The documents, which are made one by one. The last may be one that exceeds a limit."""
    made = iter(documents)
    while (document := converted(lambda: next(made, _NONE))) is not _NONE:
        yield document
        if isinstance(document, Overrun):
            return


def pulled(rows: Iterable[T]) -> Iterator[T]:
    """The rows from which batches are made, as far as the file is read. Of several such iterators, the outermost
    counts."""
    file = watchdog.open_piece()
    if not isinstance(file, OpenFile) or file.pulled != UNKNOWN:
        yield from rows
        return
    file.pull()
    if file.all_pulled:
        return
    for row in rows:
        file.pull()
        yield row
        if file.all_pulled:
            return
