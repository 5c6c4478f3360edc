"""Sorts more documents than fit into memory by their doc_ids: into buckets on the local disk, each sorted by itself.

A doc_id is a hash, so this order is a shuffle, the same each time, and the buckets are of about one size.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

BUFFER = 256 << 20  # bytes that wait in memory
SCHEMA = pa.schema([("doc_id", pa.string()), ("text", pa.large_string())])


class Buckets:
    """`count` files in `folder`. `add` all documents, then read each bucket once."""

    def __init__(self, folder: str, count: int) -> None:
        self.documents = [0] * count
        self._folder = Path(folder)
        self._waiting: dict[int, list[pa.Table]] = {}
        self._bytes = 0

    def add(self, table: pa.Table, places: npt.NDArray[np.float64]) -> None:
        """Documents with the columns of SCHEMA and their places as `places_of` gives them."""
        number = (places * len(self.documents)).astype(np.int64)
        order = np.argsort(number, kind="stable")
        rows = table.select(SCHEMA.names).take(pa.array(order)).cast(SCHEMA)
        bounds = np.searchsorted(number[order], np.arange(len(self.documents) + 1))
        for at in np.flatnonzero(np.diff(bounds)).tolist():
            count = int(bounds[at + 1] - bounds[at])
            self._waiting.setdefault(at, []).append(rows.slice(bounds[at], count))
            self.documents[at] += count
        self._bytes += rows.nbytes
        if self._bytes >= BUFFER:
            self._write()

    def texts(self, number: int) -> pa.LargeStringArray:
        """The texts of a bucket by doc_id; its file is deleted."""
        self._write()
        path = self._path(number)
        if not self.documents[number]:
            return pa.array([], pa.large_string())
        table = pa.concat_tables(_streams(path)).sort_by("doc_id")
        path.unlink()
        return table["text"].combine_chunks()

    def _write(self) -> None:
        for number, tables in self._waiting.items():
            with self._path(number).open("ab") as file, pa.ipc.new_stream(file, SCHEMA) as stream:
                stream.write_table(pa.concat_tables(tables).combine_chunks())
        self._waiting = {}
        self._bytes = 0

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.arrow"


def places_of(ids: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """float64[N] from 0 to below 1: where a document stands among all, by the first 13 digits of its doc_id."""
    digits = pc.binary_join_element_wise("0x", pc.utf8_slice_codeunits(ids, 0, 13), "")
    return np.asarray(digits.cast(pa.int64())).astype(np.float64) / 16.0**13


def _streams(path: Path) -> Iterator[pa.Table]:
    """One for each time that the file was written to."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while file.tell() < size:
            yield pa.ipc.open_stream(file).read_all()
