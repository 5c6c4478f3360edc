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
from curation.account.audit.losses.tally import LossTally, TrackedDocuments, bounds_of, limits_beyond
from curation.account.sealed.rows import Ints
from curation.account.tune.limits import RuleSets, rules_of
from curation.core.component import Components, each
from curation.core.filter import Filter
from curation.core.judging import edit, judge
from curation.core.protocols import Rewriter
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
        _take(TrackedDocuments(tally, batch.column(GROUP), count(batch.column("text"))), steps, batch, count)
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


def _take(portion: TrackedDocuments, steps: Sequence[MeasuredStage], batch: pa.RecordBatch, count: Count) -> None:
    """Takes the documents through all steps."""
    for number, step in enumerate(steps):
        portion.arrive(number)
        if step.verb.judges:
            judged = judge(each(Filter, step.components), _undecided(batch))
            masks = limits_beyond(rules_of(step.sets), pa.Table.from_batches([judged]))
            portion.judged(number, masks, judged.column("drop_reason"))
            batch = judged.drop_columns("drop_reason")
            continue
        for key, rewriter in each(Rewriter, step.components):
            edited = edit(key, rewriter, _undecided(batch))
            text = edited.column("text")
            changed = np.asarray(pc.fill_null(pc.not_equal(batch.column("text"), text), False))
            tokens = portion.tokens.copy()
            tokens[changed] = count(text.filter(pa.array(changed)))
            portion.edited(number, key, changed, tokens)
            portion.judged(number, {}, edited.column("drop_reason"))
            batch = edited.drop_columns("drop_reason")
    portion.close()


def _undecided(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.append_column("drop_reason", pa.nulls(len(batch), pa.string()))
