"""Which groups of documents a run's stages drop more often than the rest, and which words go with groups in the text.

Reads addresses, dates, drop reasons and signals as they are stored, the text of the first stages once and the text kept
to the end once. Edits nothing.

Source: Dodge et al. 2021, "Documenting Large Webtext Corpora" (arXiv:2104.08758), who found that a list of bad words
drops texts by and about minorities most; Lucy et al. 2024, "AboutMe" (arXiv:2401.06408), who compare ten filters by
topics, roles and places that web pages state.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from curation.account.audit.associations import Association, Blocks, associations
from curation.account.audit.domains import DOMAINS, largest_domains
from curation.account.audit.groups import BY, LANGUAGE, LEAST_PLACES, LENGTH, Grouping
from curation.account.audit.rates import LEAST, LEVEL, GroupRate, corrected, rates_of
from curation.account.audit.tallies import KEPT, StageTally, tally
from curation.account.audit.term_lists import TermLists, term_lists
from curation.account.audit.worst import Disparity, disparity
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.walk import last_stages
from curation.core.close_names import nearest
from curation.core.composed import read_rows
from curation.core.errors import InputError, UserError

LIMITS = (
    f"Groups of fewer than {LEAST} documents are counted but not compared; that nothing was found there says nothing.",
    "p is Fisher's exact test of a group against all others, corrected by Holm's method over all comparisons of the "
    f"report: the chance of any false finding is at most {LEVEL:.0%}. Intervals are Newcombe's, of 95 % each, not "
    "corrected.",
    "Pages of one domain are alike, so p and intervals count each side's documents divided by a design effect, the "
    "variance between its domains over that of independent documents (Rao and Scott). It is rough for few domains and "
    "unknown for a single one, or where all or none are dropped: then, and where documents of several domains are "
    "near-identical, p and intervals are too small. See what the rate is without the group's largest domain.",
    "Groups differ in more than their name: in length, source and kind of page. A higher rate is a question, no "
    "verdict; a language filter is meant to drop languages. The ratio at equal length allows for length alone.",
    "A cue or a mention says what a text contains, not who wrote it. The built-in lists are short, those of mentions "
    f"English; a document counts from {LEAST_PLACES} places on, which long ones reach more easily, and a word may mean "
    "something else.",
    "A country is that of the address's top-level domain, as in .de: not where anyone lives. Some (.io, .tv) are used "
    f"everywhere. Of domains, the {DOMAINS:,} with most documents are compared.",
    "Associations count blocks of 20 words that hold both words, whatever the sentence says of them. They are not "
    "tested: with few blocks they are noise.",
)


@dataclass(frozen=True)
class StageTotal:
    """A stage that dropped documents ("" for all together); takedowns are left out."""

    stage: str
    documents: int
    dropped: int


@dataclass(frozen=True)
class Audit:
    """`rates` are of every group at every stage that dropped documents, those with the largest `low` first.
    `disparities` has the first of each stage, with documents. `associations` are of every group and attribute that
    stand together. `limits` are those of the method."""

    run: str
    by: tuple[str, ...]
    comparisons: int
    level: float
    stages: tuple[StageTotal, ...]
    rates: tuple[GroupRate, ...]
    disparities: tuple[Disparity, ...]
    associations: tuple[Association, ...]
    limits: tuple[str, ...]


def audit(
    run: RunFolder, *, by: Sequence[str] = (), terms: Sequence[str] = (), attributes: Sequence[str] = ()
) -> Audit:
    """Compares the groups of the kinds in `by`, one or more of `groups.BY`, by default all of them.

    `terms` and `attributes` are lists "NAME=FILE" beside the built-in ones. Raises UserError for an unknown kind,
    InputError for a run without documents and for a file without terms.
    """
    kinds = tuple(dict.fromkeys(by)) or BY
    _check(run, kinds)
    lists = term_lists(terms, attributes)
    grouping = Grouping(kinds, lists, largest_domains(run))
    before, after = (Blocks.of(len(grouping.termed_groups), len(grouping.index.names)) for _ in range(2))
    tallies = tally(run, grouping, lambda places: before.add(grouping.index, places))
    if grouping.termed:
        _hear_kept(run, grouping, after)
    rates = corrected(
        [
            rate
            for name, counts in tallies.items()
            for kind in kinds
            if kind in counts.by
            for rate in rates_of(name, kind, counts, list(grouping.names[kind]), grouping.domains)
        ]
    )
    return Audit(
        run=run.folder,
        by=kinds,
        comparisons=sum(rate.p is not None for rate in rates),
        level=LEVEL,
        stages=tuple(_totals(tallies)),
        rates=tuple(sorted(rates, key=lambda rate: -rate.low)),
        disparities=tuple(_disparities(run, rates, lists, grouping.domains)),
        associations=associations(before, after, grouping.termed_groups, lists.attributes) if grouping.termed else (),
        limits=(*_notes(run, kinds), *LIMITS),
    )


def _check(run: RunFolder, kinds: Sequence[str]) -> None:
    unknown = next((kind for kind in kinds if kind not in BY), None)
    if unknown is not None:
        raise UserError(f"--by {unknown}: expected one of {', '.join(BY)}{nearest(unknown, BY)}")
    if not any(stage.verb.begins and stage.manifest.total("rows") for stage in run.stages):
        raise InputError(f"{run.folder} has no documents; run its recipe with winnow curate")
    if tuple(kinds) == (LANGUAGE,) and not _identifies(run):
        raise InputError("no stage of this run identified languages: add a `language` filter, or use declared_language")


def _identifies(run: RunFolder) -> bool:
    return any(LANGUAGE in stage.manifest.order for stage in run.stages if stage.verb.documents)


def _hear_kept(run: RunFolder, grouping: Grouping, blocks: Blocks) -> None:
    """Adds the text that the run kept to its end."""
    for stage in last_stages(run.stages):
        for shard in stage.shards:
            for table in read_rows(shard.files, ["text"], kept_only=True):
                blocks.add(grouping.index, grouping.index.places(table["text"]))


def _totals(tallies: dict[str, StageTally]) -> Iterator[StageTotal]:
    for name, stage in tallies.items():
        counts = np.asarray(stage.every["documents"])
        dropped = int(counts[np.asarray(stage.every["reason"]) != KEPT].sum())
        if dropped:
            yield StageTotal(name, int(counts.sum()), dropped)


def _disparities(
    run: RunFolder, rates: Sequence[GroupRate], lists: TermLists, domains: Sequence[str]
) -> Iterator[Disparity]:
    """The worst of each stage. What is meant comes last: a choice of values, as of languages, and limits on length."""
    found = [rate for rate in rates if rate.finding == "more" and rate.stage and rate.reason]
    for stage in dict.fromkeys(rate.stage for rate in found):
        own = (rate for rate in found if rate.stage == stage)
        worst = min(own, key=lambda rate: (rate.reason.endswith(":not_in"), rate.by == LENGTH, -rate.low))
        yield disparity(run, run.stage(stage), worst, Grouping((worst.by,), lists, domains))


def _notes(run: RunFolder, kinds: Sequence[str]) -> Iterator[str]:
    """What holds for this run only."""
    if not run.record.complete:
        yield "The run is not finished: its last sealed stage counts as its end."
    if LANGUAGE in kinds and not _identifies(run):
        yield "No stage identified languages, so only declared ones are compared."
    if LANGUAGE in kinds and _identifies(run):
        yield "Languages are compared from the stage on that identified them; earlier stages had only declared ones."
    if any(stage.verb.edits for stage in run.stages):
        yield "Lengths and terms are those of the text before any rewriter; associations after it are of the text kept."
