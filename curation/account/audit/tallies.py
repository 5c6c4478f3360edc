"""Counts the documents of each group at each stage by drop reason, following them from their first stage to their end.

A document's groups are found once, in its first stage; later stages cost the column of drop reasons. The counts are
also by registered domain and by length, so that a group can be compared without its largest domain and at equal length.
N rows of a first stage's shard, F rows of them at a later stage, C combinations.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from curation.account.audit.groups import LANGUAGE, NO_TEXT, DocumentTraits, Grouping, Membership, Names, numbered
from curation.account.sealed.rows import Ints
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedShard, SealedStage
from curation.account.sealed.walk import follow
from curation.core.reasons import TAKEDOWN
from curation.text.phrases.term_places import TermPlaces

KEPT = 0  # the number of no reason
END_TO_END = ""  # the name that stands for all stages together
COMBINATION = ("group", "domain", "length", "reason")
NOTHING = pa.schema([(name, pa.int64()) for name in (*COMBINATION, "documents")]).empty_table()


@dataclass(eq=False)
class StageTally:
    """A stage's reasons, by number, and its documents by COMBINATION for each kind of group, int64[C] each. `every` has
    all documents with text as group 0, and all others as group 1."""

    reasons: Names = field(default_factory=lambda: {"": KEPT})
    by: dict[str, pa.Table] = field(default_factory=dict)
    every: pa.Table = field(default_factory=lambda: NOTHING)

    def add(self, described: DocumentTraits, which: Ints, reasons: Ints) -> None:
        """Adds the rows `which` int64[F] (ascending) with their reasons int64[F], -1 to leave one out."""
        here = np.full(len(described.domains), -1)
        here[which] = reasons
        for by, members in described.members.items():
            self.by[by] = _with(self.by.get(by, NOTHING), described, members, here)
        textless = Membership(np.arange(len(here)), np.asarray(described.lengths == NO_TEXT, np.int64))
        self.every = _with(self.every, described, textless, here)


def _with(counts: pa.Table, described: DocumentTraits, members: Membership, here: Ints) -> pa.Table:
    """The counts and those of the members whose reason, `here` int64[N], is not -1."""
    counted = here[members.rows] >= 0
    rows = members.rows[counted]
    columns = (members.groups[counted], described.domains[rows], described.lengths[rows], here[rows])
    new = pa.table([*columns, np.ones(len(rows), np.int64)], schema=NOTHING.schema)
    sums = pa.concat_tables([counts, new]).group_by(COMBINATION, use_threads=False).aggregate([("documents", "sum")])
    return sums.rename_columns(NOTHING.column_names)


def tally(run: RunFolder, grouping: Grouping, hear: Callable[[TermPlaces], None]) -> dict[str, StageTally]:
    """Name of a stage -> its counts, in the run's order, then those of END_TO_END. Reads one shard at a time; `hear`
    gets the places of terms in the text of the first stages."""
    tallies = {stage.name: StageTally() for stage in run.stages if stage.verb.documents} | {END_TO_END: StageTally()}
    for stage in run.stages:
        for shard in stage.shards if stage.verb.begins else ():
            _add_shard(run, shard, grouping, hear, tallies)
    return tallies


def _add_shard(
    run: RunFolder,
    first: SealedShard,
    grouping: Grouping,
    hear: Callable[[TermPlaces], None],
    tallies: dict[str, StageTally],
) -> None:
    described = grouping.describe(first.files, hear=hear)
    every = np.arange(len(described.domains))
    fates = np.full(len(every), KEPT)
    steps = ((step.shard, step.which) for step in follow(run, first, every, first.kept()))
    for shard, which in ((first, every), *steps):
        table = shard.read(["drop_reason", *_language(shard.stage, grouping, described)])
        own = tallies[shard.stage.name]
        reasons = reason_numbers(table["drop_reason"], own.reasons)
        if len(table.column_names) > 1:
            labels = pa.chunked_array([chunk.field("label") for chunk in table[LANGUAGE].chunks], pa.string())
            codes = numbered(labels.combine_chunks(), grouping.names[LANGUAGE], lambda label: label or "(none)")
            described.members[LANGUAGE] = Membership(which, codes)
        own.add(described, which, reasons)
        fates[which] = reason_numbers(table["drop_reason"], tallies[END_TO_END].reasons)
    tallies[END_TO_END].add(described, every, fates)


def _language(stage: SealedStage, grouping: Grouping, described: DocumentTraits) -> list[str]:
    """The column to read of a stage that identified languages, if they are asked for and not known yet."""
    wanted = LANGUAGE in grouping.by and LANGUAGE not in described.members
    return [f"{LANGUAGE}.label"] if wanted and LANGUAGE in stage.own_columns else []


def reason_numbers(reasons: pa.ChunkedArray, names: Names) -> Ints:
    """int64[F]: KEPT, a reason's number, or -1 for a document that was taken down."""
    numbers = numbered(reasons.combine_chunks().cast(pa.string()), names, lambda reason: reason or "")
    taken = names.get(TAKEDOWN, -1)
    return np.where(numbers == taken, -1, numbers)
