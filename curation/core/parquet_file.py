"""Opens a Parquet file of a run. If it is missing or damaged, opening or reading raises an error that names it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError


@contextmanager
def open_parquet(uri: str, metadata: pq.FileMetaData | None = None) -> Iterator[pq.ParquetFile]:
    """The file, open while the context lasts; `metadata` is its footer if that was read before.

    Raises InputError if it is missing or cannot be read, also for reads inside the context, where no other file should
    be open. Write nothing inside, or a full disk would be reported as a damaged file.
    """
    with reading(uri), new_reader(uri, metadata) as file:
        yield file


def new_reader(uri: str, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
    """The file, for the caller to close; open it and read it in the context `reading`."""
    fs, path = storage.resolve(uri)
    # In a store each read is a request: those of neighbouring columns become one.
    return pq.ParquetFile(path, filesystem=fs, metadata=metadata, pre_buffer=storage.in_store(uri))


@contextmanager
def reading(uri: str) -> Iterator[None]:
    """Turns errors of reading the file into an InputError that names it."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(
            f"no file at {uri}: copy the whole run, or delete its stage's folder and curate again"
        ) from error
    except PermissionError as error:
        raise InputError(f"cannot read {uri}: {error.strerror or error}; check its permissions") from error
    except (pa.ArrowException, OSError) as error:
        if storage.in_store(uri) and (error.__cause__ is not None or isinstance(error, ConnectionError | TimeoutError)):
            raise InputError(
                f"cannot read {uri}: {error}; once the store answers, run the same command again"
            ) from error
        raise InputError(
            f"{uri} cannot be read as Parquet: {error}; copy it again, or delete its stage's folder and curate again"
        ) from error


def read_groups(uri: str) -> Iterator[pa.Table]:
    """The row groups, one at a time. The caller may write between them."""
    with open_parquet(uri) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group)
