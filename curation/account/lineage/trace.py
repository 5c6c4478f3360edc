"""Names the documents in the global batch of one training step, by arithmetic and look-ups.

The step's positions in the mix give the rows; the lineage of the token shards has the rows' segments. No training is
replayed and no token is read. A training on sequences shorter than the rows sees only the beginning of each row; the
rest of the row is left out here too.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.account.lineage.trainings import TrainingRun, open_training
from curation.core.errors import InputError
from curation.core.threads import map_threads
from curation.tokens.lineage import segments_in
from curation.tokens.shards import TokenData
from curation.tokens.step_rows import segment_of


@dataclass(frozen=True)
class Trace:
    """The global batch of a step. Steps count from 0; the metrics report step + 1 after it. `made_by`: the training run
    that made the step, which is an earlier one for the first steps of a branch.

    `padding` counts tokens of no document, which includes documents that were taken down. A segment is a piece of a
    document: `length` tokens from `doc_offset` in the document lie from `position` in row `row` of `file`, which is row
    `batch_row` of the batch; it also has `doc_id`, `url` and `source`. A source has `source`, `documents` and `tokens`,
    which counts a token each time it is read.
    """

    training: str
    data: str
    made_by: str
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
    """`data` is where the training data is now, if it was moved.

    Raises InputError if `folder` is not a training run, its data is missing, or it has no such step.
    """
    training = open_training(folder, data=data)
    if not 0 <= step < training.steps:
        last = training.steps - 1
        raise InputError(f"{training.folder} has no step {step}: its steps are 0 to {last}")
    return _traced(training, step, training.rows.positions(step))


def trace_positions(folder: str, step: int, positions: range, *, data: str | None = None) -> Trace:
    """As `trace`, of positions of the mix that the step read before they were left out."""
    return _traced(open_training(folder, data=data), step, positions)


def _traced(training: TrainingRun, step: int, positions: range) -> Trace:
    tokens = training.tokens
    seen = training.seen_tokens(step)
    segments, padding = _segments(tokens, tokens.places(positions), seen)
    earlier = segment_of(step, training.segments)
    return Trace(
        training=training.folder,
        data=training.data,
        made_by=earlier["run"] if earlier else training.folder,
        step=step,
        steps=training.steps,
        phase=tokens.phase_of(positions.start),
        first_position=positions.start,
        rows=len(positions),
        sequence_length=seen - 1,
        documents=len({segment["doc_id"] for segment in segments}),
        tokens=sum(segment["length"] for segment in segments),
        padding=padding,
        sources=_totals(segments),
        segments=tuple(segments),
    )


def _segments(data: TokenData, rows: Sequence[tuple[str, int]], row_tokens: int) -> tuple[list[dict[str, Any]], int]:
    """The segments of a batch in its order, and its padding, within the first `row_tokens` tokens of each row."""
    by_file = defaultdict[str, list[int]](list)
    for file, row in rows:
        by_file[file].append(row)
    tables = map_threads(lambda file: segments_in(data.lineage(file), by_file[file]), by_file)
    in_row = defaultdict[tuple[str, int], list[dict[str, Any]]](list)
    for file, table in zip(by_file, tables, strict=True):
        for piece in table.to_pylist():
            in_row[file, piece["row"]].append(piece)
    segments = []
    padding = 0
    for number, (file, row) in enumerate(rows):
        for piece in in_row[file, row]:
            length = min(piece["length"], row_tokens - piece["position"])
            if length > 0 and piece["doc_id"] is None:
                padding += length
            elif length > 0:
                segments.append({"batch_row": number, **piece, "length": length, "file": file})
    return segments, padding


def _totals(segments: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """A source with its documents and tokens, most tokens first."""
    documents = Counter(source for source, _ in {(segment["source"], segment["doc_id"]) for segment in segments})
    tokens = Counter[str]()
    for segment in segments:
        tokens[segment["source"]] += segment["length"]
    order = sorted(tokens, key=lambda source: (-tokens[source], source))
    return tuple({"source": source, "documents": documents[source], "tokens": tokens[source]} for source in order)
