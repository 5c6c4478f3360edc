"""Near copies of the run's own validation documents among its training documents, by the 13-grams that they share.

Validation documents are indexed as evaluation sets are, PORTION bytes of text at a time, and the training text is read
once for each portion: memory is about a gigabyte however large the run. An n-gram of more than 100 documents of a
portion counts for none of them: it is the wording of their site.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.evalsets.excerpts import ExcerptPiece, excerpt, spans_by
from curation.account.evalsets.journeys import FACTS, SPLIT, TRAIN, VALIDATION, large_text, texts
from curation.account.redacted import Redactor
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard
from curation.core.errors import InputError
from curation.core.threads import map_threads
from curation.models.evalsets.held import HeldIndex, hold, texts_as_items
from curation.models.evalsets.index import array_name
from curation.models.evalsets.overlaps import shared
from curation.models.evalsets.scan import find_grams

SIZE = 13  # tokens of an n-gram
NEAR = 0.8  # of a validation document's tokens in one training document, from which they are near copies
SHARES = (0.1, 0.5, NEAR, 1.0)  # of a validation document's tokens, in any training documents
PORTION = 16 << 20  # bytes of validation text that are indexed at a time
PAIRS = 20  # the worst that are shown, of each validation document one


Sides = dict[SealedShard, tuple[Ints, Ints]]  # rows of the validation documents, and of the training documents
Place = tuple[SealedShard, int]  # and its row there


@dataclass(frozen=True)
class NearCopy:
    """A validation document and the training document that holds `share` of its tokens, in `grams` shared n-grams."""

    share: float
    grams: int
    validation_url: str | None
    validation_doc_id: str
    train_url: str | None
    train_doc_id: str
    excerpt: tuple[ExcerptPiece, ...]  # of the training document


@dataclass(frozen=True)
class ValidationOverlap:
    """`checked` validation documents have an n-gram, `shared` share one with a training document, and `near` have NEAR
    of their tokens in a single one; `at_least` counts those by their share of tokens in all training documents
    together. `tokens` are those of the checked documents, `shared_tokens` those in shared n-grams."""

    run: str
    n: int
    documents: int
    checked: int
    train_documents: int
    shared: int
    near: int
    near_share: float
    at_least: dict[str, int]
    tokens: int
    shared_tokens: int
    passes: int  # over the training text
    worst: tuple[NearCopy, ...]


@dataclass(frozen=True)
class _Near:
    share: float
    grams: int
    item: str
    shard: SealedShard
    row: int

    @property
    def order(self) -> tuple[float, int, str, tuple[str, int], int]:
        return -self.share, -self.grams, self.item, self.shard.key, self.row


@dataclass(eq=False)
class _Portion:
    """Validation documents that are indexed together, and what was found of them."""

    index: HeldIndex
    places: dict[str, Place]  # of the documents, by id
    grams: npt.NDArray[np.bool_]  # bool[U]: n-grams that a training document has
    best: npt.NDArray[np.float64]  # float64[I]: the largest share in one training document
    lock: Lock = field(default_factory=Lock)  # shards are read by several threads


def validation(run: RunFolder) -> ValidationOverlap:
    """Raises InputError for a run without a tokenize stage, or whose validation split is empty."""
    shards = [shard for stage in run.stages if stage.verb.encodes for shard in stage.shards if shard.part.kept]
    if not shards:
        raise InputError(f"{run.folder} has no tokenized documents, so nothing is held out; see: winnow funnel RUN")
    sides = {shard: _rows(shard) for shard in shards}
    held_out = sum(len(rows) for rows, _ in sides.values())
    if not held_out:
        raise InputError(f"{run.folder} has no validation documents; raise `validation` of its tokenize stage")
    totals = np.zeros(5 + len(SHARES), np.int64)
    worst = list[tuple[_Near, Place]]()
    passes = 0
    for portion in _portions(sides):
        passes += 1
        near = [one for found in map_threads(partial(_scan, portion), _train(sides)) for one in found]
        totals += _totals(portion)
        found = [*worst, *((one, portion.places[one.item]) for one in _closest(near))]
        worst = sorted(found, key=lambda one: one[0].order)[:PAIRS]
    checked, shared_with, near_copies, tokens, shared_tokens, *at_least = totals.tolist()
    redactor = Redactor.of(run)
    return ValidationOverlap(
        run=run.folder,
        n=SIZE,
        documents=held_out,
        checked=checked,
        train_documents=sum(len(rows) for _, rows in sides.values()),
        shared=shared_with,
        near=near_copies,
        near_share=NEAR,
        at_least={str(share): count for share, count in zip(SHARES, at_least, strict=True)},
        tokens=tokens,
        shared_tokens=shared_tokens,
        passes=passes,
        worst=tuple(_pair(one, place, redactor) for one, place in worst),
    )


def _rows(shard: SealedShard) -> tuple[Ints, Ints]:
    split = shard.read([SPLIT])[SPLIT]
    kept = shard.kept()
    sides = (
        np.flatnonzero(np.asarray(pc.fill_null(pc.equal(split, side), False)) & kept) for side in (VALIDATION, TRAIN)
    )
    first, second = sides
    return first, second


def _train(sides: Sides) -> list[tuple[SealedShard, Ints]]:
    return [(shard, rows) for shard, (_, rows) in sides.items() if len(rows)]


def _portions(sides: Sides) -> Iterator[_Portion]:
    """Of PORTION bytes of text, or of one larger document."""
    ids = dict[str, Place]()
    held = list[pa.Array]()
    size = 0
    for shard, (rows, _) in sides.items():
        for own, table in texts(shard, rows, ("doc_id",)):
            text = large_text(table)
            names = table["doc_id"].to_pylist()
            for k, row in enumerate(own.tolist()):
                ids[names[k]] = shard, row
                held.append(text[k : k + 1])
                size += int(pc.binary_length(text[k]).as_py())
                if size >= PORTION:
                    yield from _portion(ids, held)
                    ids = {}
                    held = []
                    size = 0
    yield from _portion(ids, held)


def _portion(places: dict[str, Place], held: Sequence[pa.Array]) -> Iterator[_Portion]:
    """None where all documents are shorter than an n-gram."""
    try:
        index = hold(texts_as_items(VALIDATION, list(places), pa.concat_arrays(held)), (SIZE,)) if held else None
    except InputError:
        index = None
    if index is not None:
        grams = np.zeros(len(index.array(array_name("hashes", SIZE))), np.bool_)
        yield _Portion(index, places, grams, np.zeros(len(places)))


def _scan(portion: _Portion, train: tuple[SealedShard, Ints]) -> list[_Near]:
    """The closest of the shard's training documents for each validation document."""
    shard, rows = train
    found = list[_Near]()
    index = portion.index
    covered = index.array(array_name("counts", SIZE))[:, 5]
    for own, table in texts(shard, rows):
        hits = find_grams(large_text(table), index.lookup(SIZE))
        pairs = shared(hits, index)
        share = pairs.tokens[:, 2] / covered[pairs.item]
        with portion.lock:
            portion.grams[hits.gram] = True
            np.maximum.at(portion.best, pairs.item, share)
        order = np.lexsort((-pairs.grams[:, 2], -share))
        _, firsts = np.unique(pairs.item[order], return_index=True)
        for k in order[np.sort(firsts)][:PAIRS].tolist():
            name = index.names[int(pairs.item[k])].as_py()
            found.append(_Near(float(share[k]), int(pairs.grams[k, 2]), name, shard, int(own[pairs.row[k]])))
    return _closest(found)


def _closest(found: Sequence[_Near]) -> list[_Near]:
    """Each validation document with its closest training document only, so that one with many copies hides no other."""
    by_item = dict[str, _Near]()
    for one in sorted(found, key=lambda one: one.order):
        by_item.setdefault(one.item, one)
    return list(by_item.values())[:PAIRS]


def _totals(portion: _Portion) -> Ints:
    """int64: checked, sharing and near documents, their tokens, the shared ones, and documents by SHARES."""
    index = portion.index
    firsts, places = (index.array(array_name(name, SIZE)) for name in ("firsts", "places"))
    chosen = places[np.repeat(portion.grams, np.diff(firsts))].astype(np.int64)
    tokens = len(index.array("part"))
    edges = np.bincount(chosen, minlength=tokens + SIZE) - np.bincount(chosen + SIZE, minlength=tokens + SIZE)
    held = np.cumsum(edges)[:tokens] > 0
    first = index.array("first")
    own = np.bincount(index.owner(np.flatnonzero(held)), minlength=len(first) - 1)
    covered = index.array(array_name("counts", SIZE))[:, 5]
    share = np.divide(own, covered, out=np.zeros(len(own)), where=covered > 0)
    checked = covered > 0
    near = (portion.best >= NEAR).sum()
    counts = [checked.sum(), (own > 0).sum(), near, covered.sum(), own.sum()]
    return np.array([*counts, *((share >= least).sum() for least in SHARES)], np.int64)


def _pair(one: _Near, place: Place, redactor: Redactor) -> NearCopy:
    held_out, given = _document(*place)
    train, values = _document(one.shard, one.row)
    index = hold(texts_as_items(VALIDATION, [one.item], held_out), (SIZE,))
    marked = excerpt(train[0].as_py(), spans_by(index.lookup(SIZE)), redactor, values)
    held_out_url, train_url = (redactor.url(facts.get("url")) for facts in (given, values))
    return NearCopy(one.share, one.grams, held_out_url, one.item, train_url, values["doc_id"], marked)


def _document(shard: SealedShard, row: int) -> tuple[pa.Array, dict[str, Any]]:
    ((_, table),) = texts(shard, np.array([row]), ("doc_id", *FACTS))
    return large_text(table), table.drop_columns(["text"]).to_pylist()[0]
