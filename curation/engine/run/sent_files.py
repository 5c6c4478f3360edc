"""Reads files that units sent, whole."""

import pyarrow as pa
import pyarrow.ipc

from curation.core import storage
from curation.core.errors import InputError, StageError

DAMAGED = (pa.ArrowInvalid, OSError, InputError, StopIteration, ValueError)  # what reading such a file may raise


def read_file(path: str) -> pa.Table:
    """All rows of one file. Raises StageError where it is gone or damaged."""
    file = opened(path)
    try:
        return file.read_all()
    except DAMAGED as error:
        raise unreadable(path, error) from error


def opened(path: str) -> pa.RecordBatchFileReader:
    """One file, held in memory as it is stored: its batches are unpacked when they are asked for."""
    try:
        return pa.ipc.open_file(pa.BufferReader(storage.read_bytes(path)))
    except DAMAGED as error:
        raise unreadable(path, error) from error


def unreadable(path: str, error: Exception) -> StageError:
    """The error for a file that is gone or damaged."""
    return StageError(f"{path} cannot be read: {error}; delete its stage's folder to have it made again")
