"""The index of evaluation sets: which n-grams their items have, and the items themselves.

A folder with `evalsets.json`, which names all other files with their SHA-256, so that its content identifies the index.
The arrays are memory-mapped: all workers of a node share them. I items, T tokens, and of each size n U different
n-grams at P places.

    items.parquet          one row per item: set, id ("<set>/<id field or row>"), row, question, answer, choices (but
                           the answer), hash (of question and answer in normal form, as of `text_hash`), tokens, and
                           grams_<n>: n-grams by which it can be found, 0 for an item that is not checked by that size
    folded.npy             uint8: the items' texts in canonical form (`curation/text/canonical_tokens.py`), each token
                           with a blank after it: question, answer, other choices
    starts.npy             int64[T + 1]: where each token begins in it
    part.npy, segment.npy  int8[T] QUESTION, ANSWER or CHOICE; uint32[T]: n-grams lie within one segment. Question and
                           answer share one, so there are n-grams of the question, of the answer and across both.
    first.npy              int64[I + 1]: the tokens of item i are first[i] to first[i + 1] - 1
    hashes-<n>.npy         uint64[U], ascending
    firsts-<n>.npy         uint32[U + 1]: where the places of each begin …
    places-<n>.npy         uint32[P]: … tokens
    counts-<n>.npy         int32[I, 8], weights-<n>.npy float64[I, 2]: sums over each item, see `build._measured`
    filter-<n>.npy, directory-<n>.npy  by which a hash is looked up

What a report can look up: `sets` with their numbers of items and of unchecked ones; `names` (the ids, in order, which
are the numbers of items in all arrays); `item` by id, or by its question or its hash through `numbers`; its question,
answer and choices; `unchecked` items of a size, by id. Signals of `contamination` name items by the same ids.

An n-gram is left out where it tells nothing: with fewer than `need_of(n)` different tokens that are not numbers (1, 2,
3, 4 … is everywhere), or in more than 100 items, which is a set's own wording.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from curation.core import storage
from curation.core.errors import InputError
from curation.models.evalsets.soundness import check_facts, check_items, check_size
from curation.models.npy_file import mapped
from curation.text.kernels.buffers import Bytes, Indices
from curation.text.kernels.compiler.kernel import read_only
from curation.text.kernels.hashing import Hashes
from curation.text.text_hash import text_hashes

FORMAT = 1
MAIN = "evalsets.json"
QUESTION = 0
ANSWER = 1
CHOICE = 2
_LETTERED = 4  # different tokens that are not numbers, as the least of a reference in AllenAI's decon
_SPARSE = 4  # bits of the filter per n-gram, as a power of two: one absent n-gram in about 16 to 32 is looked up

Words = npt.NDArray[np.uint32]
_KINDS = {
    **dict.fromkeys(("set", "id", "hash"), pa.string()),
    **dict.fromkeys(("question", "answer"), pa.large_string()),
    "choices": pa.large_list(pa.large_string()),
}  # of columns of items; all others are counts


def need_of(size: int) -> int:
    """Different tokens that are not numbers in an n-gram of the index."""
    return min(_LETTERED, size // 2)


def filter_bits(grams: int) -> int:
    return max(6, grams.bit_length() + _SPARSE)


def directory_bits(grams: int) -> int:
    return max(1, grams.bit_length() - 2)


def array_name(name: str, size: int) -> str:
    return f"{name}-{size}"


class Lookup(NamedTuple):
    """What kernels need to find and verify the n-grams of one size."""

    size: int
    hashes: Hashes
    firsts: Words
    places: Words
    filter: Hashes
    directory: Words
    folded: Bytes
    starts: Indices


@dataclass(frozen=True, eq=False)
class EvalsetIndex:
    """A loaded index."""

    folder: str
    facts: Mapping[str, Any]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(self.facts["sizes"])

    @property
    def sets(self) -> Mapping[str, Mapping[str, Any]]:
        """Name -> {items, tokens, unchecked: {n: items without an n-gram of that size}}."""
        sets: Mapping[str, Mapping[str, Any]] = self.facts["sets"]
        return sets

    @cached_property
    def items(self) -> pa.Table:
        """A row per item, in order. Raises InputError for a file without what an index says of its items."""
        return self._items(["set", "id", "row", "question", "answer", "choices", "hash", "tokens", *self._checked])

    @cached_property
    def names(self) -> pa.Array:
        """string[I]: the items' ids. Raises InputError for a file without them."""
        return self._items(["id"])["id"].combine_chunks()

    @property
    def _checked(self) -> list[str]:
        return [f"grams_{size}" for size in self.sizes]

    def _items(self, columns: list[str]) -> pa.Table:
        path = storage.join(self.folder, "items.parquet")
        content = storage.read_bytes(path)
        try:
            table = pq.read_table(io.BytesIO(content), columns=columns).select(columns)
            return table.cast(pa.schema([(name, _KINDS.get(name, pa.int64())) for name in columns]))
        except (pa.ArrowException, KeyError, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{path} holds no items of evaluation sets: {reason}; run the fit again") from error

    def item(self, name: str) -> dict[str, Any] | None:
        """The row of an item by its id; None if there is none."""
        place = pc.index(self.names, name).as_py()
        return self.items.slice(place, 1).to_pylist()[0] if place >= 0 else None

    def numbers(self, text: str) -> Indices:
        """int64: the items whose id, hash, or question in its normal form this is, or that have question and answer so
        in two lines."""
        questions = text_hashes(self.items["question"].combine_chunks())
        own = text_hashes(pa.array([text], pa.large_string()))[0].as_py()
        matches = [pc.equal(self.names, text), pc.is_in(self.items["hash"], pa.array([text, own or text]))]
        matches += [pc.fill_null(pc.equal(questions, own), False)] if own else []
        found = np.any([np.asarray(match) for match in matches], axis=0)
        return np.flatnonzero(found)

    def unchecked(self, size: int) -> list[str]:
        """Ids of the items without an n-gram of that size, in order."""
        few = pc.equal(self.items[f"grams_{size}"], 0)
        ids: list[str] = self.items["id"].filter(few).to_pylist()
        return ids

    def lookup(self, size: int) -> Lookup:
        """Raises InputError for a size that the index does not have."""
        if size not in self.sizes:
            known = ", ".join(map(str, self.sizes))
            raise InputError(f"{self.folder} has n-grams of {known} tokens, not of {size}; add it to the fit's sizes")
        hashes, firsts, places, marks, directory = (
            self.array(array_name(name, size)) for name in ("hashes", "firsts", "places", "filter", "directory")
        )
        folded = self.array("folded")
        starts = self.array("starts")
        return read_only(Lookup(size, hashes, firsts, places, marks, directory, folded, starts))

    def array(self, name: str) -> npt.NDArray[Any]:
        return _array(storage.join(self.folder, f"{name}.npy"))

    def owner(self, places: Indices) -> Indices:
        """int64[N]: the items that tokens belong to."""
        return np.searchsorted(self.array("first"), places, side="right") - 1


def locate(uri: str) -> str:
    """The path or URI of the main file. Raises InputError if it is missing, of another kind, or a file beside it is."""
    if not storage.exists(uri):
        raise InputError(f"no index of evaluation sets at {uri}; give the path of a result of `fit: {{evalsets: …}}`")
    facts = _facts(uri)
    names = set(storage.list_names(_folder(uri)))
    missing = sorted(set(facts["files"]) - names)
    if missing:
        raise InputError(f"the index of evaluation sets {uri} lacks {missing[0]}; copy the whole folder")
    return uri


@lru_cache(maxsize=4)
def load(uri: str) -> EvalsetIndex:
    """Opened once per process. Raises InputError as `locate` does, and where the files do not fit together."""
    index = EvalsetIndex(_folder(locate(uri)), _facts(uri))
    try:
        check_items(index.array, items=len(index.names))
        for size in index.sizes:
            grams = len(index.array(array_name("hashes", size)))
            check_size(index.array, size, bits=(filter_bits(grams), directory_bits(grams)))
    except (ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{uri} is a damaged index of evaluation sets: {error}; run the fit again") from error
    return index


def _folder(uri: str) -> str:
    return uri.rpartition("/")[0] or "."


def _facts(uri: str) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(storage.read_bytes(uri))
        known = facts["format"]
        if known == FORMAT:
            check_facts(facts)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{uri} is no index of `fit: {{evalsets: …}}`: {error!r}") from error
    if known != FORMAT:
        raise InputError(f"{uri} has format {known}, this winnow reads {FORMAT}; run the fit again")
    return facts


@lru_cache(maxsize=256)
def _array(uri: str) -> npt.NDArray[Any]:
    try:
        return mapped(uri)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{uri} is no part of an index of evaluation sets: {error}; run the fit again") from error
