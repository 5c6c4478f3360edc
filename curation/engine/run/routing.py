"""Tables sent from units to units through sealed files: a sender writes one record batch per receiver into one file.

This is how rows change places without a shuffle: every sender's file is whole by itself, a receiver reads its batch of
every file, and either side can be done again alone.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from curation.core import storage
from curation.core.commits import Commit
from curation.core.errors import StageError
from curation.core.new_file import NewFile
from curation.engine.run.part_files import one_batch

_OPTIONS = pa.ipc.IpcWriteOptions(compression="lz4")


def write_routed(path: str, table: pa.Table, receiver: npt.NDArray[np.int64], receivers: int) -> None:
    """Rows of `table` by `receiver` int64[N], each in [0, receivers); rows of one receiver keep their order."""
    narrow = receiver.astype(np.uint16) if receivers <= 1 << 16 else receiver  # NumPy sorts 16 bits by radix
    order = np.argsort(narrow, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(receiver, minlength=receivers))])
    ordered = table.take(pa.array(order)).combine_chunks()
    with NewFile(path) as sink, pa.ipc.new_file(sink, table.schema, options=_OPTIONS) as file:
        for number in range(receivers):
            file.write_batch(one_batch(ordered.slice(bounds[number], bounds[number + 1] - bounds[number])))


def write_table(path: str, table: pa.Table) -> None:
    """A table for a single receiver."""
    write_routed(path, table, np.zeros(table.num_rows, np.int64), 1)


def read_routed(path: str, receiver: int = 0) -> pa.Table:
    """The receiver's rows of one file. Raises StageError where that is gone or damaged."""
    fs, inner = storage.resolve(path)
    try:
        with fs.open_input_file(inner) as file:
            return pa.Table.from_batches([pa.ipc.open_file(file).get_batch(receiver)])
    except (pa.ArrowInvalid, OSError) as error:
        raise StageError(f"{path} cannot be read: {error}; delete its stage's folder to have it made again") from error


def read_all(paths: Iterable[str], schema: pa.Schema, receiver: int = 0) -> pa.Table:
    """The receiver's rows of several files, in their order."""
    return pa.concat_tables([schema.empty_table(), *(read_routed(path, receiver) for path in paths)])


def done(folder: str, unit: int, files: Iterable[str], **extra: object) -> Commit:
    """The commit of a unit that wrote `files` of a stage's folder."""
    sizes = {path[len(folder) + 1 :]: {"bytes": storage.size(path)} for path in files}
    return Commit(unit, (), extra={"files": sizes, **extra})
