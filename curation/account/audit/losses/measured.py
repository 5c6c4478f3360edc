"""Takes documents that are no part of a run through its filters and rewriters, in this process.

Every stage measures every document, also one that an earlier stage drops, so that a limit's own loss does not depend on
what stands before it. A rewriter's text goes on to the stages after it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.audit.losses.report import ChainLoss
from curation.account.audit.losses.tally import Ints, LossTally, TrackedDocuments, bounds_of, limits_beyond
from curation.account.tune.limits import RuleSets, rules_of
from curation.core.component import Components, each, struct_type
from curation.core.filter import Filter
from curation.core.guarded import as_declared, attempt
from curation.core.judging import judge, struct_of
from curation.core.protocols import Rewriter
from curation.core.reasons import error_reason
from curation.core.verbs import Verb

GROUP = "group"  # the column that says which group a document is counted in
Count = Callable[[pa.Array], Ints]  # text[N] -> int64[N] tokens


@dataclass(frozen=True)
class MeasuredStage:
    """A stage of filters or rewriters."""

    name: str
    verb: Verb
    components: Components

    @property
    def sets(self) -> RuleSets:
        """The rule sets of a filter stage, by key."""
        return dict(each(Filter, self.components))


def losses(
    chain: str,
    steps: Sequence[MeasuredStage],
    documents: Iterable[pa.RecordBatch],
    columns: Sequence[str],
    count: Count,
    notes: Sequence[str] = (),
) -> ChainLoss:
    """What the steps lose of `documents`, batches with GROUP and `columns`.

    Components that read a column which is not there are left out, and the notes say so.
    """
    steps, left_out = _possible(steps, columns)
    bounds = [bounds_of(rules_of(step.sets)) if step.verb.judges else {} for step in steps]
    tally = LossTally([(step.name, step.verb.name) for step in steps], bounds)
    for batch in documents:
        tally.add(_taken(steps, batch, count))
    return tally.report(chain, (*notes, *left_out))


def _possible(steps: Sequence[MeasuredStage], columns: Sequence[str]) -> tuple[list[MeasuredStage], list[str]]:
    """The steps with those components that can read what they need, and a note for each other one."""
    there = set(columns)
    possible = list[MeasuredStage]()
    notes = list[str]()
    for step in steps:
        own = []
        for key, component in step.components:
            missing = sorted(set(component.reads) - there)
            if missing:
                notes.append(f"{step.name}: {key} is left out, because it reads {', '.join(missing)}")
            else:
                own.append((key, component))
        there |= {key for key, _ in own}
        if own:
            possible.append(MeasuredStage(step.name, step.verb, tuple(own)))
    return possible, notes


def _taken(steps: Sequence[MeasuredStage], batch: pa.RecordBatch, count: Count) -> TrackedDocuments:
    portion = TrackedDocuments(batch.column(GROUP), count(batch.column("text")))
    for number, step in enumerate(steps):
        portion.arrive(number)
        if step.verb.judges:
            batch = _judged(portion, number, step, batch)
        else:
            for key, rewriter in each(Rewriter, step.components):
                batch = _edited(portion, number, key, rewriter, batch, count)
    return portion


def _judged(portion: TrackedDocuments, number: int, step: MeasuredStage, batch: pa.RecordBatch) -> pa.RecordBatch:
    undecided = batch.append_column("drop_reason", pa.nulls(len(batch), pa.string()))
    judged = judge(each(Filter, step.components), undecided)
    reasons = judged.column("drop_reason")
    portion.judged(number, limits_beyond(rules_of(step.sets), pa.Table.from_batches([judged])), reasons)
    return judged.drop_columns("drop_reason")


def _edited(
    portion: TrackedDocuments, number: int, key: str, rewriter: Rewriter, batch: pa.RecordBatch, count: Count
) -> pa.RecordBatch:
    declared = rewriter.signal_types()
    texts: list[pa.Array] = []
    counts: list[pa.Array] = []
    errors: list[str | None] = []
    for piece, result in attempt(rewriter.rewrite, batch):
        if isinstance(result, Exception):
            texts.append(piece.column("text").cast(pa.large_string()))
            counts.append(pa.nulls(len(piece), struct_type(declared)))
            errors += [error_reason(key, result)] * len(piece)
        else:
            texts.append(result[0].cast(pa.large_string()))
            counts.append(struct_of(as_declared(key, declared, result[1])))
            errors += [None] * len(piece)
    text = pa.concat_arrays(texts)
    before = batch.column("text").cast(pa.large_string())
    changed = np.asarray(pc.fill_null(pc.not_equal(before, text), False))
    tokens = portion.tokens.copy()
    rows = np.flatnonzero(changed)
    tokens[rows] = count(text.take(pa.array(rows)))
    portion.edited(number, key, changed, tokens)
    if any(errors):
        portion.judged(number, {}, pa.array(errors, pa.string()))
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    return pa.RecordBatch.from_pydict({**columns, "text": text, key: pa.concat_arrays(counts)})
