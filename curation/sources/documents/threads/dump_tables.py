"""A dump's files as tables on this machine's disk, its comments sorted by their submissions, and joins of both.

Each file of a planned run is parsed once on a machine, whatever number of tasks reads it, into the folder
TMPDIR/winnow-dialogue-UID. Tables that nobody used for `KEPT_DAYS` are removed when others are read. Memory is bounded
by `SORT_MEMORY` and by the dump's zstd window, since DuckDB sorts and joins on disk.
"""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.credentials import masked
from curation.core.errors import InputError
from curation.core.input_files import unchanged
from curation.core.input_rows import InputRows
from curation.core.own_folder import own_folder
from curation.core.protocols import Piece, ReadTally
from curation.core.watchdog import unhurried
from curation.sources.documents.threads.dump_posts import COMMENTS, SUBMISSIONS, post_row
from curation.sources.frames import LONG_WINDOW
from curation.sources.lines import line_blocks
from curation.sources.rows_behind_damage import RowsBehindDamage
from curation.sources.utf8 import decoded

_REFUSED = {
    "bad_json": "the line is not JSON",
    "no_post": "the line is neither a submission nor a comment",
    "no_id": "the post has no id",
}
MAX_LINE = 4 << 20  # bytes of a post, whose text has 40,000 characters at most
SORT_MEMORY = "1GB"
GROUP = 1 << 14  # rows of a row group, by whose least and greatest link those to be read are chosen
KEPT_DAYS = 7
FORMAT = 4  # of the tables
Connect: TypeAlias = Callable[[], duckdb.DuckDBPyConnection]  # where it is needed: it takes 75 ms

_TALLY = "tally.json"
_SUBMISSIONS = "submissions.parquet"
_COMMENTS = "comments.parquet"


class DumpTables(NamedTuple):
    """A dump's files, and the folder of each with a table of its submissions and, if any, of its comments."""

    files: Sequence[Piece]
    folders: list[Path]
    connect: Connect

    def number(self, path: str) -> int:
        """Of a file, in their order."""
        return [file.path for file in self.files].index(path)

    def tell(self, number: int, tally: ReadTally) -> None:
        """Adds what was passed over in a file, and its comments of submissions that are in no file."""
        told = json.loads((self.folders[number] / _TALLY).read_text())
        tally.records.update(told["records"])
        path = self.files[number].path
        if told["rows"] is not None:
            tally.files[path] = InputRows.parsed({**told["rows"], "file": path})
        for offset, error in told["faults"]:
            tally.fault(path, offset, error)
        query = "SELECT count(*) AS lost FROM read_parquet(?) c ANTI JOIN read_parquet(?) s ON c.link = s.id"
        submissions = [str(folder / _SUBMISSIONS) for folder in self.folders]
        for row in self._queried(query, self.folders[number : number + 1], submissions):
            tally.records.update(+Counter({"skipped.no_submission": int(row["lost"])}))

    def share(self, number: int, start: int, stop: int) -> tuple[int, int]:
        """The submissions of a file that a range of its bytes stands for, as the first and the one after the last; so
        compressed files have ranges, too."""
        table = pq.read_metadata(self.folders[number] / _SUBMISSIONS)
        end = table.row_group(table.num_row_groups - 1).column(0).statistics.max + 1 if table.num_rows else 0
        file = self.files[number]
        size = max(storage.size(file.path) if file.size < 0 else file.size, 1)
        return start * end // size, end if stop < 0 else stop * end // size

    def submissions(self, number: int, first: int, last: int) -> Iterator[dict[str, Any]]:
        """Of a file, those numbered [first, last), in order."""
        with pq.ParquetFile(self.folders[number] / _SUBMISSIONS) as table:
            numbers = [table.metadata.row_group(group).column(0).statistics for group in range(table.num_row_groups)]
            groups = [group for group, rows in enumerate(numbers) if rows.max >= first and rows.min < last]
            for batch in table.iter_batches(1_000, groups):
                yield from (row for row in batch.to_pylist() if first <= row["number"] < last)

    def comments(self, number: int, first: int, last: int) -> Iterator[dict[str, Any]]:
        """Of these submissions, from all files, with the `number` of each, in the submissions' order."""
        query = (
            "SELECT s.number, c.* FROM read_parquet(?) c JOIN (SELECT id, number FROM read_parquet(?) "
            "WHERE number >= ? AND number < ?) s ON c.link = s.id ORDER BY s.number"
        )
        return self._queried(query, self.folders, str(self.folders[number] / _SUBMISSIONS), first, last)

    def _queried(self, query: str, folders: list[Path], *others: Any) -> Iterator[dict[str, Any]]:
        """Rows as they come, which is never all at once; none where these folders have no comments."""
        comments = sorted({str(folder / _COMMENTS) for folder in folders if (folder / _COMMENTS).exists()})
        if comments:
            with unhurried():
                reader = self.connect().sql(query, params=[comments, *others]).to_arrow_reader(1_000)
            while (batch := _next(reader)) is not None:
                yield from batch.to_pylist()


@contextmanager
def dump_tables(files: Sequence[Piece]) -> Iterator[DumpTables]:
    """The tables of these files, which are made where they are not there. Those of files that no plan has listed are
    made for this call alone. Raises InputError for a file that is missing, or not as it was planned."""
    with ExitStack() as stack:
        spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-dialogue-"))

        @cache
        def connect() -> duckdb.DuckDBPyConnection:
            config: dict[str, Any] = {"threads": 1, "memory_limit": SORT_MEMORY, "temp_directory": spill}
            return stack.enter_context(duckdb.connect(config=config))

        root = Path(spill)
        if all(file.size >= 0 for file in files):
            root = own_folder("dialogue")
            in_use = stack.enter_context((root / "in-use").open("w"))
            with suppress(BlockingIOError):
                fcntl.flock(in_use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove_old(root)
            fcntl.flock(in_use, fcntl.LOCK_SH)
        yield DumpTables(files, _made(root, files, connect), connect)


def _next(reader: pa.RecordBatchReader) -> pa.RecordBatch | None:
    """The next rows, for which DuckDB may have to sort a whole dump."""
    with unhurried():
        return next(reader, None)


def _remove_old(root: Path) -> None:
    for folder in root.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < time.time() - KEPT_DAYS * 86_400:
            shutil.rmtree(folder)


def _made(root: Path, files: Sequence[Piece], connect: Connect) -> list[Path]:
    folders = [root / _identity(file) for file in files]
    for waiting in (False, True):  # first those that no other task is making
        for file, folder in zip(files, folders, strict=True):
            with folder.with_suffix(".lock").open("w") as lock, suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if waiting else fcntl.LOCK_NB))
                if not folder.exists():
                    _make(file, folder, connect)
                os.utime(folder)
    return folders


def _identity(file: Piece) -> str:
    parts = repr((FORMAT, file.path, file.size, file.stamp))
    return hashlib.blake2b(parts.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _make(file: Piece, folder: Path, connect: Connect) -> None:
    if file.size >= 0 and not unchanged(file.path, file.size, file.stamp, file.modified):
        raise InputError(
            f"{masked(file.path)} has changed since the run began; put the old file back, or run the command again"
        )
    tally = ReadTally()
    unfinished = folder.with_suffix(".partial")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    by_line = unfinished / "by_line.parquet"
    with (
        pq.ParquetWriter(unfinished / _SUBMISSIONS, SUBMISSIONS, compression="zstd") as submissions,
        pq.ParquetWriter(by_line, COMMENTS, compression="zstd") as comments,
    ):
        ascending = _write_posts(file, {SUBMISSIONS: submissions, COMMENTS: comments}, tally)
    if not ascending:
        _remove_repeats(unfinished / _SUBMISSIONS, tally, connect)
    if pq.read_metadata(by_line).num_rows:
        rows = connect().sql("SELECT * FROM read_parquet(?) ORDER BY link", params=[str(by_line)])
        with unhurried():
            rows.write_parquet(str(unfinished / _COMMENTS), compression="zstd", row_group_size=GROUP)
    by_line.unlink()
    read = tally.files.get(file.path)
    # Without the file's name, which may be a URI with credentials.
    counted = read and {name: value for name, value in read.plain().items() if name != "file"}
    faults = [(fault["offset"], fault["error"]) for fault in tally.faults]
    told = {"records": tally.records, "faults": faults, "rows": counted}
    (unfinished / _TALLY).write_text(masked(json.dumps(told)))
    unfinished.rename(folder)


def _remove_repeats(submissions: Path, tally: ReadTally, connect: Connect) -> None:
    """Leaves the first submission with an id; the comments would come with each."""
    every = submissions.rename(submissions.with_name("every.parquet"))
    query = (
        "SELECT * FROM read_parquet(?) SEMI JOIN (SELECT min(number) AS number FROM read_parquet(?) GROUP BY id) "
        "USING (number) ORDER BY number"
    )
    rows = connect().sql(query, params=[str(every), str(every)])
    with unhurried():
        rows.write_parquet(str(submissions), compression="zstd", row_group_size=GROUP)
    repeats = pq.read_metadata(every).num_rows - pq.read_metadata(submissions).num_rows
    tally.records.update(+Counter({"skipped.twice": repeats}))
    every.unlink()


def _write_posts(file: Piece, writers: dict[pa.Schema, pq.ParquetWriter], tally: ReadTally) -> bool:
    """Whether the ids of the submissions ascend, so that none is there twice."""

    read = tally.rows_of(file.path)
    damage = RowsBehindDamage(file.path, tally)

    def refuse(cause: str, offset: int, error: str) -> None:
        tally.skip(file.path, cause, offset, error, line=read.lines + 1)

    def refuse_long(offset: int, error: str) -> None:
        refuse("long_line", offset, error)
        read.lines += 1

    blocks = line_blocks(
        Piece(file.path),
        max_line=MAX_LINE,
        on_fault=damage.fault,
        on_long=refuse_long,
        max_window=LONG_WINDOW,
        on_passed=damage.passed,
    )
    numbers = count()
    last = -1
    ascending = True
    for block in blocks:
        rows: dict[pa.Schema, list[dict[str, Any]]] = {schema: [] for schema in writers}
        offset = block.offset
        for line in block.data.split(b"\n"):
            row = post_row(decoded(line, tally), offset) if line.strip() else None
            if isinstance(row, tuple):
                schema, values = row
                if schema is SUBMISSIONS:
                    values["number"] = next(numbers)
                rows[schema].append(values)
                read.read += 1
            elif row:
                refuse(row, offset, _REFUSED[row])
            offset += len(line) + 1
            read.lines += offset <= block.offset + len(block.data)
        ids = [last, *(row["id"] for row in rows[SUBMISSIONS])]
        ascending = ascending and all(one < other for one, other in pairwise(ids))
        last = ids[-1]
        for schema, some in rows.items():
            if some:
                writers[schema].write_table(pa.Table.from_pylist(some, schema=schema))
    damage.end()
    return ascending
