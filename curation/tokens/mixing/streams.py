"""The stream of a leaf, measured in tokens: how many of its next rows fit a budget.

The stream is all rows of the leaf in a pseudo-random order, epoch after epoch (see `permutation`). A token counts if it
is a label of the causal objective: every slot of a row does, except the first and padding. A concat file has padding
only in its last row, and its manifest says how much; this matters for the small files that `split_by` may make. In
other packs it is counted from the index files. Counts take 4 bytes of memory a row: 2 GB for 10^12 tokens in rows of
2,048.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.fs as pafs

from curation.core import storage
from curation.core.errors import InputError
from curation.core.token_shapes import Section, TokenPart
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.tokens.manifests import checksum, leaf_of
from curation.tokens.mixing.permutation import Keys, purpose, round_keys, walk
from curation.tokens.mixing.weight_names import SourceLabels
from curation.tokens.packing.split_by import NONE, SplitBy
from curation.tokens.token_files import PADDING_BIT, map_file, segments_in

_PADDING_BIT = np.uint32(PADDING_BIT)

EVERYTHING = 1 << 62  # more tokens than any stream has

Packs = Sequence[tuple[str, Mapping[str, Any]]]  # each one's name in the index, and its `manifests.Section`
Counts = npt.NDArray[np.uint32]


class _File(NamedTuple):
    """A file of training rows."""

    index_file: str
    section: Section
    part: TokenPart


@dataclass(frozen=True)
class Stream:
    """The rows of one leaf, epoch after epoch."""

    name: str
    seed: int
    rows: int  # of an epoch
    tokens: int  # of an epoch
    row_length: int
    counts: Counts | None = None  # uint32[rows]: tokens of each row; None if every row has `row_length`

    def fit(self, first: int, stop: int, budget: int) -> tuple[int, int, int]:
        """How many of the rows first … stop - 1 fit into `budget` tokens, the tokens in those, and the tokens of the
        row after them (0 if that is `stop`)."""
        if self.counts is None:
            rows = min(stop - first, budget // self.row_length)
            return rows, rows * self.row_length, self.row_length if first + rows < stop else 0
        rows = tokens = 0
        while first + rows < stop:
            epoch, turn = divmod(first + rows, self.rows)
            whole = min((stop - first - rows) // self.rows, (budget - tokens) // self.tokens) if turn == 0 else 0
            if whole:
                rows = rows + whole * self.rows
                tokens = tokens + whole * self.tokens
                continue
            keys = round_keys(self.seed, purpose(self.name, epoch))
            last = min(stop - epoch * self.rows, self.rows)
            more, counted, after = map(int, walk(turn, last, budget - tokens, self.rows, keys, self.counts))
            rows += more
            tokens += counted
            if more < last - turn:
                return rows, tokens, after
        return rows, tokens, 0

    def total(self, first: int, stop: int) -> int:
        """Tokens of the rows first … stop - 1 of the stream."""
        return self.fit(first, stop, EVERYTHING)[1] if self.tokens else 0


def streams(packs: Packs, *, folder: str, runs: Mapping[str, Sequence[str]], seed: int) -> dict[str, Stream]:
    """Leaf -> its stream, by name. `folder`: the run's, in which packs lie that are not named by absolute path."""
    length = packs[0][1]["row_tokens"] - 1
    files = _files(packs, folder, runs)
    return {leaf: _stream(leaf, files[leaf], length, seed) for leaf in sorted(files)}


def read_streams(packs: Packs, *, folder: str, runs: Mapping[str, Sequence[str]], seed: int) -> dict[str, Stream]:
    """The same streams with the labels of every row counted from the index files, whatever the manifests say."""
    length = packs[0][1]["row_tokens"] - 1
    files = _files(packs, folder, runs)
    return {leaf: _read_stream(leaf, files[leaf], length, seed) for leaf in sorted(files)}


def _files(packs: Packs, folder: str, runs: Mapping[str, Sequence[str]]) -> dict[str, list[_File]]:
    """Leaf -> its files of training rows."""
    files: dict[str, list[_File]] = {}
    for pack, stated in packs:
        section = cast(Section, stated)
        leaves = {source: leaf_of(pack, source, runs) for source in section["sources"]}
        for leaf in leaves.values():
            files.setdefault(leaf, [])
        for part in section["parts"]:
            if part["split"] == "train":
                place = storage.join(folder, pack, part["name"] + ".idx")
                files[leaves[part["source"]]].append(_File(place, section, part))
    return files


def split_sources(packs: Packs, runs: Mapping[str, Sequence[str]]) -> dict[str, SourceLabels]:
    """Source with `split_by` -> the labels that its documents could have, as far as they are known."""
    labels: dict[str, tuple[str, ...]] = {}
    for pack, section in packs:
        if options := section.get("split_by"):
            leaves = [leaf_of(pack, source, runs) for source in section["sources"]]
            for name in {leaf.rpartition("/")[0]: None for leaf in leaves}:
                labels[name] = (*labels.get(name, ()), *(SplitBy(**options).labels() or (NONE,)))
    return {name: SourceLabels(names) for name, names in labels.items()}


def _stream(leaf: str, files: list[_File], length: int, seed: int) -> Stream:
    rows = sum(file.part["rows"] for file in files)
    if not any(file.part["padding"] for file in files):
        return Stream(leaf, seed, rows, rows * length, length)
    counts = np.full(rows, length, np.uint32)
    at = 0
    for file in files:
        padding = file.part["padding"]
        first = at
        at = at + file.part["rows"]
        if file.section["method"] == "concat" and padding <= length:
            counts[at - 1] -= padding
        elif padding:
            _count(file, counts[first:at])
    return Stream(leaf, seed, rows, int(counts.sum(dtype=np.int64)), length, counts)


def _read_stream(leaf: str, files: list[_File], length: int, seed: int) -> Stream:
    counts = np.empty(sum(file.part["rows"] for file in files), np.uint32)
    at = 0
    for file in files:
        first = at
        at = at + file.part["rows"]
        _count(file, counts[first:at])
    return Stream(leaf, seed, at, int(counts.sum(dtype=np.int64)), length, counts)


def _count(file: _File, out: Counts) -> None:
    """Fills in the labels of a file's rows. Raises InputError for an index with another checksum."""
    uri = file.index_file
    section = file.section
    expected = file.part["files"][f"{file.part['name']}.idx"]["blake2b"]
    item = np.dtype(section["dtype"]).itemsize
    # A store cannot be mapped. Reading an index from it is cheap, as it is small beside its tokens.
    local = isinstance(storage.resolve(uri)[0], pafs.LocalFileSystem)
    content = map_file(uri) if local else pa.py_buffer(storage.read_bytes(uri))
    if checksum(content) != expected:
        raise InputError(f"{uri} is damaged: its checksum differs from its manifest's; pack again")
    segments = segments_in(content, uri, rows=len(out), row_tokens=section["row_tokens"], item_bytes=item)
    _labels(segments.offsets, segments.lengths, out)


@kernel
def _labels(offsets: Keys, lengths: Counts, out: Out[Counts]) -> None:
    """Offsets uint64[rows + 1], lengths uint32[segments] -> predicted tokens of each row, uint32[rows]."""
    for row in range(len(out)):
        begin = np.int64(offsets[row])
        end = np.int64(offsets[row + 1])
        tokens = np.uint32(0)
        for length in lengths[begin:end]:
            if length & _PADDING_BIT == 0:
                tokens += length
        first_counts = begin < end and lengths[begin] & _PADDING_BIT == 0
        out[row] = tokens - np.uint32(1 if first_counts else 0)
