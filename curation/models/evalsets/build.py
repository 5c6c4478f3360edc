"""Makes the files of an index from items; `curation/models/evalsets/index.py` says what they hold.

Memory is about 60 bytes per token of the items and size of n-grams, besides the files: 1.5 GB for 70,000 items.
"""

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core.errors import InputError
from curation.models.evalsets.index import (
    ANSWER,
    CHOICE,
    FORMAT,
    MAIN,
    QUESTION,
    array_name,
    directory_bits,
    filter_bits,
    need_of,
)
from curation.text.canonical_tokens import folded_texts, tokens_of
from curation.text.kernels.buffers import Indices
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import STEP, murmur3_each
from curation.text.text_hash import text_hashes

MOST_ITEMS = 100  # that share an n-gram: one in more items is the set's own wording, and evidence of none
_BLANK = 32
_NINE = 57


@dataclass(frozen=True, eq=False)
class ItemTokens:
    """The texts of I items as pieces of T tokens: of each item the question, the answer, and each other choice."""

    hashes: Hashes  # uint64[T]
    folded: npt.NDArray[np.uint8]  # the canonical form of all pieces, a blank after each token
    starts: Indices  # int64[T + 1], bytes of `folded`
    segment: Indices  # int64[T]: n-grams lie within one; question and answer share one, a choice has its own
    part: npt.NDArray[np.int8]  # int8[T]: QUESTION, ANSWER or CHOICE
    item: Indices  # int64[T]
    items: int

    @classmethod
    def of(cls, items: pa.Table) -> "ItemTokens":
        rows = zip(*(items[name].to_pylist() for name in ("question", "answer", "choices")), strict=True)
        texts: list[str] = []
        kinds: list[int] = []
        for question, answer, choices in rows:
            texts += [question, answer, *choices]
            kinds += [QUESTION, ANSWER, *[CHOICE] * len(choices)]
        kind = np.array(kinds, np.int8)
        owner = np.cumsum(kind == QUESTION) - 1
        array = pa.array(texts, pa.large_string())
        tokens = tokens_of(array)
        piece = np.repeat(np.arange(len(texts)), np.diff(tokens.first))
        folded = np.frombuffer(b"".join(folded_texts(array)), np.uint8)
        starts = np.concatenate([[0], np.flatnonzero(folded == _BLANK) + 1])
        assert len(starts) == len(tokens.hashes) + 1, "the two ways to read tokens agree"
        segment = np.cumsum(kind != ANSWER)[piece]
        return cls(tokens.hashes, folded, starts, segment, kind[piece], owner[piece], items.num_rows)

    def tellings(self, size: int) -> npt.NDArray[np.bool_]:
        """bool[T]: at which tokens an n-gram begins that may be indexed."""
        return _tellings(self.hashes, _lettered(self), self.segment, size, need_of(size))


@dataclass(frozen=True, eq=False)
class DistinctGrams:
    """The different n-grams of one size, U of them at P places, by their hashes in ascending order."""

    hashes: Hashes  # uint64[U]
    first: npt.NDArray[np.uint32]  # uint32[U + 1]: the places of gram u are first[u] to first[u + 1] - 1
    places: npt.NDArray[np.uint32]  # uint32[P]: tokens at which each begins, ascending within a gram


def build(items: pa.Table, sizes: Sequence[int]) -> dict[str, bytes]:
    """The index's files by name. Raises InputError where no item has an n-gram of a size."""
    table, arrays = indexed(items, sizes)
    files = {f"{name}.npy": _npy(array) for name, array in arrays.items()} | {"items.parquet": _parquet(table)}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    return {MAIN: json.dumps(facts_of(table, sizes) | {"files": digests}, indent=1).encode(), **files}


def indexed(items: pa.Table, sizes: Sequence[int]) -> tuple[pa.Table, dict[str, npt.NDArray[Any]]]:
    """The items with what the index says of each, and its arrays by name. Raises InputError as `build` does."""
    pieces = ItemTokens.of(items)
    arrays: dict[str, npt.NDArray[Any]] = {
        "folded": pieces.folded,
        "starts": pieces.starts,
        "part": pieces.part,
        "segment": pieces.segment.astype(np.uint32),
        "first": np.searchsorted(pieces.item, np.arange(pieces.items + 1)).astype(np.int64),
    }
    columns: dict[str, pa.Array] = {"tokens": pa.array(np.diff(arrays["first"]))}
    for size in sizes:
        grams = _grams(pieces, size)
        if not len(grams.hashes):
            raise InputError(f"no item has {size} tokens, so nothing could be found by {size}-grams; give other sizes")
        counts, weights = _measured(pieces, grams, size)
        columns[f"grams_{size}"] = pa.array(counts[:, 2])
        named: dict[str, npt.NDArray[Any]] = {
            "hashes": grams.hashes,
            "firsts": grams.first,
            "places": grams.places,
            "counts": counts,
        }
        named |= {"weights": weights, "filter": bit_filter(grams.hashes), "directory": directory(grams.hashes)}
        arrays |= {array_name(name, size): array for name, array in named.items()}
    table = items.append_column("hash", _item_hashes(items))
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table, arrays


def _item_hashes(items: pa.Table) -> pa.Array:
    """string[I]: the hash of each item's question and answer, by which it is the same item in another file."""
    newline = pa.scalar("\n", pa.large_string())
    return text_hashes(pc.binary_join_element_wise(items["question"], items["answer"], newline))


def facts_of(items: pa.Table, sizes: Sequence[int]) -> dict[str, Any]:
    """What the main file says of the items that `indexed` gives, by set."""
    sets: dict[str, Any] = {}
    for row in items.select(["set", "tokens", *(f"grams_{size}" for size in sizes)]).to_pylist():
        facts = sets.setdefault(row["set"], {"items": 0, "tokens": 0, "unchecked": {str(size): 0 for size in sizes}})
        facts["items"] += 1
        facts["tokens"] += row["tokens"]
        for size in sizes:
            facts["unchecked"][str(size)] += row[f"grams_{size}"] == 0
    return {"format": FORMAT, "sizes": list(sizes), "sets": sets}


def _grams(pieces: ItemTokens, size: int) -> DistinctGrams:
    places = np.flatnonzero(pieces.tellings(size))
    rolled = np.zeros(len(places), np.uint64)
    for k in range(size):
        rolled = rolled * STEP + pieces.hashes[places + k]
    hashes = murmur3_each(rolled)
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    places = places[order]
    fresh = np.concatenate([[True], hashes[1:] != hashes[:-1]])[: len(hashes)]
    gram = np.cumsum(fresh) - 1
    item = pieces.item[places]
    another = fresh | np.concatenate([[True], item[1:] != item[:-1]])[: len(hashes)]
    kept = (np.bincount(gram, another) <= MOST_ITEMS)[gram] if len(gram) else fresh
    hashes = hashes[kept]
    places = places[kept]
    fresh = fresh[kept]
    first = np.append(np.flatnonzero(fresh), len(hashes)).astype(np.uint32)
    return DistinctGrams(hashes[fresh], first, places.astype(np.uint32))


def _lettered(pieces: ItemTokens) -> npt.NDArray[np.bool_]:
    """bool[T]: whether a token is more than ASCII digits. Runs of numbers are alike everywhere."""
    if not len(pieces.hashes):
        return np.zeros(0, np.bool_)
    return np.maximum.reduceat(pieces.folded, pieces.starts[:-1]) > _NINE


@kernel
def _tellings(
    hashes: Hashes, lettered: npt.NDArray[np.bool_], segment: Indices, size: int, need: int
) -> npt.NDArray[np.bool_]:
    """bool[T]: at which tokens an n-gram begins that lies in one segment and has `need` different lettered tokens."""
    telling = np.zeros(hashes.size, np.bool_)
    for p in range(hashes.size - size + 1):
        if segment[p] != segment[p + size - 1]:
            continue
        different = 0
        for k in range(p, p + size):
            fresh = lettered[k]
            for j in range(p, k):
                fresh = fresh and hashes[j] != hashes[k]
            different += fresh
            if different == need:
                break
        telling[p] = different == need
    return telling


def _measured(
    pieces: ItemTokens, grams: DistinctGrams, size: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Per item, int32[I, 8]: n-grams within the question, within the answer, and all; tokens that lie in one, of the
    question, of the answer, and all; all tokens of the question, and of the answer. float64[I, 2]: the summed rarity of
    the different n-grams of the question, and of the answer."""
    places = grams.places.astype(np.int64)
    gram = np.repeat(np.arange(len(grams.hashes)), np.diff(grams.first))
    item = pieces.item[places]
    part = pieces.part[places]
    last = pieces.part[places + size - 1]
    inside = np.zeros(len(pieces.hashes) + 1, np.int64)
    inside += np.bincount(places, minlength=len(inside)) - np.bincount(places + size, minlength=len(inside))
    covered = np.cumsum(inside[:-1]) > 0
    counts = np.zeros((pieces.items, 8), np.int32)
    weights = np.zeros((pieces.items, 2))
    idf = rarity(np.diff(grams.first), pieces.items)
    for column, kind in enumerate((QUESTION, ANSWER)):
        whole = (part == kind) & (last == kind)
        counts[:, column] = np.bincount(item[whole], minlength=pieces.items)
        counts[:, 3 + column] = np.bincount(pieces.item[covered & (pieces.part == kind)], minlength=pieces.items)
        counts[:, 6 + column] = np.bincount(pieces.item[pieces.part == kind], minlength=pieces.items)
        pairs = np.unique(item[whole] * len(idf) + gram[whole])
        weights[:, column] = np.bincount(pairs // len(idf), idf[pairs % len(idf)], minlength=pieces.items)
    counts[:, 2] = np.bincount(item, minlength=pieces.items)
    counts[:, 5] = np.bincount(pieces.item[covered], minlength=pieces.items)
    return counts, weights


def rarity(places: npt.NDArray[Any], items: int) -> npt.NDArray[np.float64]:
    """float64[U]: the inverse document frequency of n-grams at so many places, among so many items."""
    weights: npt.NDArray[np.float64] = np.log((items + 1) / places.astype(np.float64))
    return weights


def bit_filter(hashes: Hashes) -> npt.NDArray[np.uint64]:
    """A bit per possible upper part of a hash: most n-grams of a text are told from all of the index by one read."""
    bits = filter_bits(len(hashes))
    marks = np.zeros(1 << (bits - 6), np.uint64)
    _mark(hashes, np.uint64(64 - bits), marks)
    return marks


@kernel
def _mark(hashes: Hashes, shift: np.uint64, marks: Out[Hashes]) -> None:
    for k in range(hashes.size):
        place = hashes[k] >> shift
        marks[np.int64(place >> np.uint64(6))] |= np.uint64(1) << (place & np.uint64(63))


def directory(hashes: Hashes) -> npt.NDArray[np.uint32]:
    """uint32[D + 1]: where the hashes with each upper part begin."""
    bits = directory_bits(len(hashes))
    tops = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
    return np.append(np.searchsorted(hashes, tops), len(hashes)).astype(np.uint32)


def _npy(array: npt.NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", row_group_size=4096)
    return buffer.getvalue()
