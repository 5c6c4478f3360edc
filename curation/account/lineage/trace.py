"""Names the documents in the global batch of one step of a training run, by arithmetic and look-ups.

The step's positions in the mix give the rows, the rows' segments stand in the lineage of their token shards. Nothing of
the training is replayed, no token is read. A training on shorter sequences than the rows have sees the beginning of
each row; what lies behind is left out here.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.account.lineage.trainings import open_training
from curation.core import storage
from curation.core.errors import InputError
from curation.core.threads import map_threads
from curation.tokens.lineage import segments_in


@dataclass(frozen=True)
class Trace:
    """The global batch of a step, which is counted from 0: the update after which the metrics say step + 1.

    `padding` are its tokens that belong to no document, those of documents that were taken down among them. A segment
    is a piece of a document, with `batch_row`, `doc_id`, `url`, `source`, `doc_offset`, `length`, `file`, `row` and
    `position`: so many of its tokens from `doc_offset` on stand in row `row` of `file`, which is row `batch_row` of the
    batch, from `position` on. A source has `source`, `documents` and `tokens`, each token as often as it is read.
    """

    training: str
    data: str
    step: int
    steps: int
    phase: str
    first_position: int
    rows: int
    sequence_length: int
    documents: int
    tokens: int
    padding: int
    sources: tuple[dict[str, Any], ...]
    segments: tuple[dict[str, Any], ...]


def trace(folder: str, step: int, *, data: str | None = None) -> Trace:
    """`data`: where the run's data is now, if it was moved.

    Raises InputError where `folder` is no training run, its data is not there, or it has no such step.
    """
    training = open_training(folder, data=data)
    if not 0 <= step < training.steps:
        last = training.steps - 1
        raise InputError(f"{training.folder} has no step {step}: its steps are 0 to {last}, counted from 0")
    tokens, size = training.tokens, training.batch_rows
    segments, padding = _segments(tokens.folder, tokens.locate(step, batch_rows=size), training.seen_tokens)
    return Trace(
        training=training.folder,
        data=training.data,
        step=step,
        steps=training.steps,
        phase=tokens.phase_of(step * size),
        first_position=step * size,
        rows=size,
        sequence_length=training.seen_tokens - 1,
        documents=len({one["doc_id"] for one in segments}),
        tokens=sum(one["length"] for one in segments),
        padding=padding,
        sources=_totals(segments),
        segments=tuple(segments),
    )


def _segments(home: str, rows: Sequence[tuple[str, int]], seen: int) -> tuple[list[dict[str, Any]], int]:
    """Those of a batch in its order, and the tokens of padding among the first `seen` of each row."""
    by_file = defaultdict[str, list[int]](list)
    for file, row in rows:
        by_file[file].append(row)
    tables = map_threads(lambda file: segments_in(storage.join(home, f"{file}.parquet"), by_file[file]), by_file)
    in_row = defaultdict[tuple[str, int], list[dict[str, Any]]](list)
    for file, table in zip(by_file, tables, strict=True):
        for piece in table.to_pylist():
            in_row[file, piece["row"]].append(piece)
    segments, padding = [], 0
    for number, (file, row) in enumerate(rows):
        for piece in in_row[file, row]:
            length = min(piece["length"], seen - piece["position"])
            if length > 0 and piece["doc_id"] is None:
                padding += length
            elif length > 0:
                segments.append({"batch_row": number, **piece, "length": length, "file": file})
    return segments, padding


def _totals(segments: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """By source, the one with most tokens first."""
    documents = Counter(source for source, _ in {(one["source"], one["doc_id"]) for one in segments})
    tokens = Counter[str]()
    for one in segments:
        tokens[one["source"]] += one["length"]
    order = sorted(tokens, key=lambda source: (-tokens[source], source))
    return tuple({"source": source, "documents": documents[source], "tokens": tokens[source]} for source in order)
