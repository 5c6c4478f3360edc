"""Was an item in the training data: which documents hold it, where, what became of them, and which steps read it.

Each document is read once, as it was at the end of its journey: in the stage that dropped it, or at the last one. So a
run without a contamination stage can be asked too. The cost is one pass over the text by a compiled kernel, and memory
a row group per thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from curation.account.evalsets.excerpts import ExcerptPiece, TextSpan, excerpt, spans_by, spans_of
from curation.account.evalsets.journeys import FACTS, SPLIT, JourneyEnds, ended, large_text, pack_of, texts
from curation.account.evalsets.token_places import TOKENS, token_ranges
from curation.account.evalsets.wanted import SIZE, Item, WantedItem, wanted
from curation.account.lineage.token_rows import TokenRows
from curation.account.lineage.trainings import TrainingRun, open_training, reads
from curation.account.redacted import Redactor
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard
from curation.core import storage
from curation.core.errors import InputError
from curation.core.threads import map_threads
from curation.models.evalsets.overlaps import shared, shares
from curation.models.evalsets.scan import find_grams

DOCUMENTS = 50  # that are told of in full, kept ones first, then by overlap; all are counted
CHECKED = 1000  # of which is looked up, at some 70 ms each (a run of 3,500 pages), whether a model has read them


@dataclass(frozen=True)
class SeenDocument:
    """A document that holds the item. `overlap` is the largest share of its question, of its answer or of all of it.
    `stage` is where the document ended, `reason` why it was dropped there, None if it was kept. `spans` are bytes of
    the text there. `tokens` are as `winnow why` has them; with `exact` only rows and steps that have the spans, else
    those of the whole document."""

    doc_id: str
    url: str | None
    source: str
    whole: bool
    overlap: float
    stage: str
    reason: str | None
    spans: tuple[TextSpan, ...]
    excerpt: tuple[ExcerptPiece, ...]
    tokens: dict[str, Any]
    exact: bool


@dataclass(frozen=True)
class ItemExposure:
    """Documents that hold the item: in all, those that hold its question whole, those kept to the end, and of these
    the ones that hold it whole. `documents` lists the first of them; with a `model`, all it has read the item of, up to
    its `steps` made so far."""

    run: str
    item: Item
    n: int
    found: int
    whole: int
    kept: int
    kept_whole: int
    model: str | None
    steps: int | None
    later: int | None  # documents that the model reads after those steps
    unchecked: int | None  # kept documents beyond the first CHECKED: the model may have read these too
    documents: tuple[SeenDocument, ...]


@dataclass(frozen=True)
class _Match:
    ended: JourneyEnds
    row: int
    whole: bool
    overlap: float

    @property
    def order(self) -> tuple[bool, bool, float, tuple[str, int], int]:
        return not self.ended.kept, not self.whole, -self.overlap, self.ended.shard.key, self.row


def seen(run: RunFolder, item: str, *, model: str | None = None, trainings: Sequence[str] = ()) -> ItemExposure:
    """`item` is an id `set/…` or a text; `model` a training run's folder. Raises InputError as `wanted` does, and for a
    training run that does not read this run."""
    sought = wanted(run, item)
    training = None if model is None else _training(run, model)
    most = DOCUMENTS if training is None else CHECKED
    counts = np.zeros(4, np.int64)
    matches = list[_Match]()
    for counted, best in map_threads(lambda one: _matches(sought, one, most), ended(run)):
        counts += counted
        matches = sorted([*matches, *best], key=lambda match: match.order)[:most]
    rows = TokenRows(run, [*trainings, *([model] if model else [])])
    redactor = Redactor.of(run)
    asked = [match for match in matches if training is None or match.ended.kept]
    documents = [_document(run, sought, match, rows, redactor) for match in asked]
    later = None
    if training is not None:
        documents = [_only(document, training.folder) for document in documents]
        reading = [document for document in documents if _steps(document)]
        documents = [document for document in reading if _steps(document)[0] < training.done]
        later = len(reading) - len(documents)
    found, whole, kept, kept_whole = counts.tolist()
    return ItemExposure(
        run=run.folder,
        item=sought.item,
        n=SIZE,
        found=found,
        whole=whole,
        kept=kept,
        kept_whole=kept_whole,
        model=training.folder if training else None,
        steps=training.done if training else None,
        later=later,
        unchecked=max(0, kept - CHECKED) if training else None,
        documents=tuple(documents),
    )


def _training(run: RunFolder, model: str) -> TrainingRun:
    training = open_training(model)
    if not reads(training, storage.real(run.folder)):
        raise InputError(f"{model} was not trained on {run.folder}: it reads {training.data}; name that run instead")
    _ = training.tokens  # raises where its data is gone
    return training


def _matches(sought: WantedItem, one: JourneyEnds, most: int) -> tuple[Ints, list[_Match]]:
    """How many rows match: all, whole, kept, and both; and the first `most` of them."""
    found = list[_Match]()
    counts = np.zeros(4, np.int64)
    for rows, table in texts(one.shard, one.rows):
        text = large_text(table)
        whole = np.unique(find_grams(text, sought.lookup).row)
        overlap = np.zeros(len(rows))
        if sought.parts is not None:
            pairs = shared(find_grams(text, sought.parts.lookup(SIZE)), sought.parts)
            evident = pairs.tokens[:, 2] >= sought.least
            overlap[pairs.row[evident]] = shares(pairs, sought.parts, SIZE, by="tokens")[evident]
        overlap[whole] = np.maximum(overlap[whole], 1.0)
        held = np.zeros(len(rows), np.bool_)
        held[whole] = True
        hits = np.flatnonzero(overlap > 0).tolist()
        counts += np.array([1, 0, one.kept, 0]) * len(hits) + np.array([0, 1, 0, one.kept]) * len(whole)
        found += [_Match(one, int(rows[k]), bool(held[k]), float(overlap[k])) for k in hits]
        found = sorted(found, key=lambda match: match.order)[:most]
    return counts, found


def _document(run: RunFolder, sought: WantedItem, match: _Match, rows: TokenRows, redactor: Redactor) -> SeenDocument:
    shard = match.ended.shard
    row = match.row
    own: Ints = np.array([row])
    ((_, table),) = texts(shard, own, ("doc_id", *FACTS))
    text = large_text(table)
    values = table.drop_columns(["text"]).to_pylist()[0]

    def spans(given: pa.Array) -> tuple[TextSpan, ...]:
        hits = find_grams(given, sought.lookup)
        if len(hits.row) or sought.parts is None:
            return spans_of(hits, given, np.arange(len(hits.row)))
        return tuple(spans_by(sought.parts.lookup(SIZE))(given))

    where = spans(text)
    kept = match.ended.kept
    ranges = token_ranges(shard, row, where) if kept else None
    return SeenDocument(
        doc_id=values["doc_id"],
        url=redactor.url(values.get("url")),
        source=values.get("source", ""),
        whole=match.whole,
        overlap=match.overlap,
        stage=shard.stage.name,
        reason=_reason(match.ended, row),
        spans=where,
        excerpt=excerpt(text[0].as_py(), spans, redactor, values),
        tokens=_tokens(run, shard, own, values, rows, ranges) if kept else {},
        exact=ranges is not None,
    )


def _reason(one: JourneyEnds, row: int) -> str | None:
    reason: str | None = one.shard.column("drop_reason", np.array([row]))[0].as_py()
    return reason or (None if one.kept else "lost")


def _tokens(
    run: RunFolder, shard: SealedShard, row: Ints, values: dict[str, Any], rows: TokenRows, ranges: Any
) -> dict[str, Any]:
    place = pack_of(run, shard)
    if place is None:
        return {}
    given = {TOKENS: int(shard.lengths(TOKENS, row)[0]), SPLIT: values.get(SPLIT)}
    return rows.of(values["doc_id"], *place, given, ranges)


def _only(document: SeenDocument, training: str) -> SeenDocument:
    """The document with the steps of one training run only."""
    own = tuple(one for one in document.tokens.get("trainings", ()) if one["training"] == training)
    return replace(document, tokens={**document.tokens, "trainings": own} if document.tokens else {})


def _steps(document: SeenDocument) -> tuple[int, ...]:
    steps: tuple[int, ...] = next((one["steps"] for one in document.tokens.get("trainings", ())), ())
    return steps
