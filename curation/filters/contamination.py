"""Contamination: find documents that hold items of evaluation sets, to drop them, cut them or only mark them.

    - fit: {evalsets: {sets: {gsm8k: {files: gsm8k.jsonl.gz, answer: answer}}}}
    - filter: {contamination: {evalsets: "@evalsets", method: gpt3}}
    - rewrite: {cut_spans: {of: [contamination]}}       # of methods and actions that cut

A text shares an n-gram with an item where both have the same tokens (`curation/text/canonical_tokens.py`) in a row;
every match is verified on the text. `overlap` is the share of an item that the text holds, of its question, of its
answer or of all of it, whichever is largest, and of all items the largest. The methods:

    gpt3    13-grams. One is enough: it is cut with 200 characters on each side, and so are pieces of fewer than 200
            characters that remain. A document with more than 10 cuts is dropped. The paper leaves out 13-grams that
            more than 10 documents have; here those that more than 100 items have, since no corpus is read.
    palm    8-grams: an overlap above 0.7 of an item's n-grams. (The paper says so of a whole corpus: 0.7 or more.)
    llama   8-grams: an overlap above 0.8 of an item's tokens, those in any shared n-gram. (Llama 3 chooses a limit per
            set; this is the one of Llama 2 for a contaminated item.)
    n_gram  n-grams of `n` tokens: an overlap of tokens above `max_overlap`.
    decon   5-grams of the question, weighted by rarity, in one place near the answer: a score above 0.8.
            `curation/models/evalsets/decon.py` has its values, and what is done otherwise.
    embedding
            Paraphrases: a cosine above `max_overlap` between a line or paragraph and a question, by the encoder's
            `model` (`curation/models/evalsets/similar.py`). It finds what n-grams cannot, and much that is no leak:
            mark with it, and look before anything is dropped.

Source: Brown et al. 2020, "Language Models are Few-Shot Learners" (arXiv:2005.14165), appendix C; Chowdhery et al.
2022, "PaLM" (arXiv:2204.02311), section 8; Grattafiori et al. 2024, "The Llama 3 Herd of Models" (arXiv:2407.21783),
section 5.1.4; Touvron et al. 2023, "Llama 2" (arXiv:2307.09288), appendix A.6; AllenAI, decon
(github.com/allenai/decon).

An item without an n-gram (it is shorter, or all numbers) is not checked by that method: the index counts and lists such
items. Fewer than `min_tokens` shared tokens are no evidence: whole answers of five tokens are common phrases.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.core.component import Signals
from curation.core.document import SPANS
from curation.core.errors import RecipeError
from curation.core.filter import Filter
from curation.core.limits import COUNTS, SHARES, Limit, When
from curation.models.embeddings import encoders
from curation.models.evalsets import decon
from curation.models.evalsets.index import EvalsetIndex, load, locate
from curation.models.evalsets.matched_spans import matched_spans
from curation.models.evalsets.overlaps import Floats, SharedGrams, shared, shares
from curation.models.evalsets.scan import GramHits, find_grams
from curation.models.evalsets.similar import load_similar
from curation.text.kernels.buffers import Indices, offsets_of, text_buffers

ITEM = pa.struct([("item", pa.string()), ("overlap", pa.float64())])
N = {"gpt3": 13, "palm": 8, "llama": 8, "decon": decon.SIZE}
MAX_OVERLAP: dict[str, float | None] = {  # above which an item's matches are contamination; None: must be given
    "gpt3": 0.0,
    "palm": 0.7,
    "llama": 0.8,
    "n_gram": None,
    "decon": decon.THRESHOLD,
    "embedding": None,
}
# characters around a match, and of a piece that stays; cuts
CONTEXT = 200
PIECE = 200
MAX_CUTS = 10
DROPS: When = {"action": ("drop",)}


@dataclass(frozen=True, kw_only=True)
class Contamination(Filter):
    """The index, the method, and what becomes of documents."""

    evalsets: Annotated[str, "output of `fit: {evalsets: …}`: its path, or @ and the name of the fit stage"]
    method: Annotated[Literal["gpt3", "palm", "llama", "n_gram", "decon", "embedding"], "how items are looked for"] = (
        "gpt3"
    )
    action: Annotated[Literal["drop", "cut", "mark"], "gpt3 cuts in any case but `mark`"] = "drop"
    n: Annotated[int | None, "tokens of an n-gram, of the sizes that the index has; only of n_gram"] = None
    min_tokens: Annotated[int, "shared tokens of an item"] = 8
    max_overlap: Annotated[float | None, "in [0, 1]; None: the method's"] = None
    max_cuts: Annotated[int | None, "None: 10 where spans are cut"] = None
    model: Annotated[str | tuple[str, ...], "the encoder's file or files; only of embedding"] = ""
    encoder: Annotated[str, "an entry of `curation/models/embeddings/encoders.py`"] = "word_vectors"

    limits: ClassVar[tuple[Limit, ...]] = (
        Limit("cuts", most="max_cuts", between=COUNTS, unset=MAX_CUTS, when={"action": ("cut",)}),
        Limit("cuts", most="max_cuts", between=COUNTS, unset=MAX_CUTS, when={**DROPS, "method": ("gpt3",)}),
        *(
            Limit("overlap", most="max_overlap", between=SHARES, unset=most, when={**DROPS, "method": (method,)})
            for method, most in MAX_OVERLAP.items()
            if method != "gpt3"
        ),
    )
    deciding: ClassVar[tuple[str, ...]] = ("action",)
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not self.evalsets:
            raise RecipeError("evalsets names no file: give a path, or @ and the name of a fit stage")
        if (self.n is None) != (self.method != "n_gram"):
            raise RecipeError(f"n is {self.n}; give it with `method: n_gram`, and with no other, which has its own")
        if MAX_OVERLAP[self.method] is None and self.max_overlap is None:
            raise RecipeError(f"max_overlap must be given with `method: {self.method}`: the overlap that may be there")
        if bool(self.model) != (self.method == "embedding"):
            raise RecipeError("model names an encoder's file: give it with `method: embedding`, and with no other")
        if self.min_tokens < 1:
            raise RecipeError(f"min_tokens is {self.min_tokens}; give 1 or more")
        encoders.check(self.encoder)

    @property
    def size(self) -> int:
        """Tokens of an n-gram."""
        return self.n or N[self.method]

    @property
    def cuts(self) -> bool:
        return self.action == "cut" or (self.method == "gpt3" and self.action == "drop")

    def assets(self) -> Mapping[str, str | tuple[str, ...]]:
        """Where the index is, and the encoder's files. Raises InputError if it is missing, of another kind, or lacks
        the method's n-grams."""
        index = load(locate(self.evalsets))
        if self.model:
            return {"evalsets": self.evalsets, "model": encoders.locate(self.model)}
        index.lookup(self.size)
        return {"evalsets": self.evalsets}

    def notes(self) -> tuple[str, ...]:
        """How many items cannot be found, once the index is there."""
        if self.evalsets.startswith("@") or self.method == "embedding":
            return ()
        index = load(locate(self.evalsets))
        short = len(index.unchecked(self.size))
        many = f"{short:,} of {len(index.names):,} items of evaluation sets have no n-gram of {self.size} tokens"
        return (f"{many}: they are not looked for; winnow evalsets report --json lists them",) if short else ()

    def signal_types(self) -> Signals:
        """As `measure` lists them."""
        return {
            "matches": pa.int64(),
            "overlap": pa.float64(),
            "set": pa.string(),
            "item": pa.string(),
            "items": pa.list_(ITEM),
            "cuts": pa.int64(),
            "text_bytes": pa.int64(),
            "spans": SPANS,
        }

    def measure(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """Batch of N documents -> per document

        matches int64   places at which it shares an n-gram with an item
        overlap float64 the largest overlap with an item, in [0, 1]; 0 if it shares nothing
        set, item       string: that item and its set, null without one
        items           list<struct<item: string, overlap: float64>>: all items of which it shares `min_tokens`, by id
        cuts            int64: spans
        text_bytes      int64: of the text that the spans belong to
        spans           list<struct<start: int64, stop: int64>>: bytes of the matches, where the action cuts of what is
                        to be cut
        """
        text = batch.column("text")
        index = load(self.evalsets)
        if self.model:
            return self._similar(text, index)
        hits = find_grams(text, index.lookup(self.size))
        pairs = shared(hits, index)
        overlap = self._overlaps(hits, pairs, index, text)
        evident = (pairs.tokens[:, 2] >= self.min_tokens) & (overlap > 0)
        matches = np.bincount(hits.row, minlength=len(batch))
        found = _Found(pairs.row[evident], overlap[evident], index.names.take(pa.array(pairs.item[evident])))
        cut = evident & (overlap > self.limit) if self.cuts else evident
        return _signals(text, matches, found, self._spans(text, hits, np.unique(pairs.hit[cut[pairs.pair]])))

    @property
    def limit(self) -> float:
        """The overlap above which an item counts as contamination."""
        limit = MAX_OVERLAP[self.method] if self.max_overlap is None else self.max_overlap
        assert limit is not None, "it must be given where the method has none"
        return limit

    def _similar(self, text: pa.Array, index: EvalsetIndex) -> dict[str, pa.Array]:
        """The signals of `embedding`: `items` and `spans` are those above the limit, beside the closest item."""
        near = load_similar(self.evalsets, self.encoder, self.model).closest(text)
        close = near.cosine > self.limit
        order = np.lexsort((-near.cosine, near.row))
        best = order[np.append(True, np.diff(near.row[order]) != 0)[: len(order)]]
        listed = np.union1d(best, np.flatnonzero(close))
        listed = listed[np.lexsort((-near.cosine[listed], near.item[listed], near.row[listed]))]
        pairs = near.row[listed] * len(index.names) + near.item[listed]
        listed = listed[np.append(True, np.diff(pairs) != 0)[: len(listed)]]
        found = _Found(near.row[listed], near.cosine[listed], index.names.take(pa.array(near.item[listed])))
        matches = np.bincount(near.row[close], minlength=len(text))
        return _signals(text, matches, found, matched_spans(text, near.row[close], near.start[close], near.stop[close]))

    def _overlaps(self, hits: GramHits, pairs: SharedGrams, index: EvalsetIndex, text: pa.Array) -> Floats:
        if self.method == "decon":
            return decon.scores(hits, pairs, index, text)
        return shares(pairs, index, self.size, by="grams" if self.method == "palm" else "tokens")

    def _spans(self, text: pa.Array, hits: GramHits, chosen: Indices) -> pa.ListArray:
        own = hits.at(chosen)
        wide = self.cuts and self.method == "gpt3"
        context, piece = (CONTEXT, PIECE) if wide else (0, 0)
        return matched_spans(text, own.row, own.start, own.stop, context=context, least_piece=piece)


@dataclass(frozen=True, eq=False)
class _Found:
    """Items of which texts hold enough, by row and then in the index's order."""

    row: Indices  # int64[F]
    overlap: Floats  # float64[F]
    item: pa.Array  # string[F]


def _signals(text: pa.Array, matches: Indices, found: _Found, spans: pa.ListArray) -> dict[str, pa.Array]:
    rows = len(text)
    items = pa.StructArray.from_arrays([found.item, pa.array(found.overlap)], fields=list(ITEM))
    counts = np.bincount(found.row, minlength=rows)
    order = np.lexsort((-np.arange(len(found.row)), found.overlap, found.row))  # of equal ones, the first comes last
    best = np.full(rows, -1)
    best[found.row[order]] = order
    none = best < 0
    overlap = np.zeros(rows)
    overlap[~none] = found.overlap[best[~none]]
    item = found.item.take(pa.array(best, mask=none))
    return {
        "matches": pa.array(matches.astype(np.int64)),
        "overlap": pa.array(overlap),
        "set": pc.list_element(pc.split_pattern(item, "/", max_splits=1), 0),
        "item": item,
        "items": pa.ListArray.from_arrays(pa.array(offsets_of(counts), pa.int32()), items),
        "cuts": pc.list_value_length(spans).cast(pa.int64()),
        "text_bytes": pa.array(np.diff(text_buffers(text)[1])),
        "spans": spans,
    }
