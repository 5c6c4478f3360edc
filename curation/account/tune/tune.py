"""Tries other limits on a finished run: which documents they would win and lose, from the signals stored, without text.

Every rule of a stage measured every row that the stage read, so a stage's figures are exact. What they mean for the
run: a document lost is followed to its end, for a later stage may have dropped it anyway; a document won was never
measured by the stages after this one, so what those would make of it is unknown, and where an earlier stage is
loosened too, what it wins is missing here: a lower bound. The notes say which of these hold.
"""

from dataclasses import fields, replace
from math import inf
from typing import Any

import pyarrow as pa

from curation.account.funnel import open_stages
from curation.account.run.follow import later_stages
from curation.account.tune.changed_verdicts import Gone, Moves, bytes_per_token, count_moves
from curation.account.tune.limits import BY_LANGUAGE, Changes, RuleSets, Stages, rule_sets, with_changes
from curation.account.tune.signals import columns_for, has_language, stage_schema, word_column
from curation.account.tune.spreads import LEAST, Spreads, histogram, proposed, read_spreads
from curation.account.tune.tune_report import Tuning, language_lines, limit_lines, limits_of, lost, won
from curation.core.errors import InputError, UserError
from curation.core.manifest import Manifest
from curation.core.settings import nearest
from curation.core.verbs import Verb


def tune(
    folder: str,
    stage: str | None = None,
    *,
    changes: Changes,
    quantile: float | None = None,
    sigma: float | None = None,
    by_language: bool = False,
) -> list[Tuning]:
    """The run's filter stages under other limits: `stage` (by name or folder), or those that `changes` name, or all.

    `quantile` or `sigma` set every limit that has an option by the corpus, for each language too with `by_language`;
    `changes` come on top. Raises UserError for a stage, option or value that cannot be.
    """
    _check_shares(quantile, sigma)
    run, stages = open_stages(folder)
    gone: Gone = {}
    found: dict[int, Tuning] = {}
    for index in _chosen(stages, stage, changes):
        before = rule_sets(run, stages, index)
        schema = stage_schema(stages, index)
        if by_language and not has_language(schema):
            raise UserError(
                f"{stages[index][0].name}: no stage up to this one found languages to tell documents apart by"
            )
        asked = {key: changes.get(key, {}) for key in before}
        tried = _changed(before, asked)
        signals = [
            f"{key}.{rule.signal}" for one in (before, tried) for key, part in one.items() for rule in part.rules()
        ]
        spreads = read_spreads(stages, index, columns_for(schema, [before, tried]), list(dict.fromkeys(signals)))
        if quantile is not None or sigma is not None:
            corpus = proposed(before, spreads, quantile=quantile, sigma=sigma, by_language=by_language)
            asked = {key: corpus.get(key, {}) | options for key, options in asked.items()}
        after = _changed(before, asked)
        moves = count_moves(stages, index, after, columns_for(schema, [before, after]), gone)
        found[index] = _tuning(stages, index, (before, after), spreads, moves, by_language)
        notes = [] if run.complete else ["the run is not finished: its end is the last stage that is"]
        notes += _not_set(after, spreads if by_language and (quantile or sigma) else None)
        found[index] = replace(found[index], notes=(*notes, *_notes(stages, index, found, schema)))
    return list(found.values())


def _check_shares(quantile: float | None, sigma: float | None) -> None:
    if quantile is not None and sigma is not None:
        raise UserError("give a quantile or sigma, not both")
    if quantile is not None and not 0 < quantile <= 1:
        raise UserError(f"a quantile is above 0 and at most 1, e.g. 0.99 to keep 99 % at each limit; got {quantile}")
    if sigma is not None and not 0 < sigma < inf:
        raise UserError(f"sigma is a number of standard deviations above 0, e.g. 3; got {sigma}")


def _chosen(stages: Stages, stage: str | None, changes: Changes) -> list[int]:
    """Numbers of the filter stages to look at. Raises InputError where there is none, or no rule set that is named."""
    filters = [index for index, (entry, _, _) in enumerate(stages) if entry.verb.judges]
    names = [stages[index][0].name for index in filters]
    if not filters:
        raise InputError("no filter stage of this run is finished, so it has no limits to try")
    if stage is not None:
        filters = [index for index in filters if stage in (stages[index][0].name, stages[index][0].folder)]
        if not filters:
            raise InputError(f"the run has no filter stage {stage!r}{nearest(stage, names)}")
    keys = {index: _keys(stages[index][2]) for index in filters}
    known = sorted({key for own in keys.values() for key in own})
    for key in changes:
        if key not in known:
            where = f"stage {stage}" if stage else "the run"
            held = [entry.name for entry, _, manifest in stages if entry.verb.begins and key in _keys(manifest)]
            if held:  # by a cascade
                reason = f"{held[0]} chooses by it what parses a page; set it in the recipe and curate"
                raise InputError(f"--set {key}: {reason}")
            raise InputError(f"--set {key}: {where} has no rule set {key!r}{nearest(key, known)}")
    return [index for index in filters if stage is not None or not changes or keys[index] & set(changes)]


def _keys(manifest: Manifest) -> set[str]:
    """Rule sets that have limits in a stage."""
    return {limit["rule"].partition(".")[0] for limit in manifest.limits}


def _changed(sets: RuleSets, changes: Changes) -> RuleSets:
    return {key: with_changes(key, part, changes[key]) for key, part in sets.items()}


def _tuning(
    stages: Stages, index: int, sets: tuple[RuleSets, RuleSets], spreads: Spreads, moves: Moves, by_language: bool
) -> Tuning:
    entry, _, manifest = stages[index]
    languages = [None, *(spreads.known_languages() if by_language else ())]
    bounds = limits_of(sets[0]), limits_of(sets[1])
    moved = moves.moves()
    return Tuning(
        stage=entry.name,
        folder=entry.folder,
        rows=manifest.total("rows"),
        gone=moves.gone,
        kept_before=moves.kept_before.total(),
        kept_after=moves.kept_after.total(),
        dropped_before=manifest.merged("dropped"),
        dropped_after=dict(sorted(moves.dropped.items(), key=lambda item: (-item[1], item[0]))),
        won=won(stages, index, moved),
        lost=lost(stages, index, moved),
        limits=limit_lines(stages, index, sets, moves),
        languages=language_lines(stages, index, moves) if by_language else (),
        histograms=tuple(
            histogram(spreads, name, language, *bounds) for name in spreads.measured for language in languages
        ),
        options={key: options for key, part in sets[0].items() if (options := _options(part, sets[1][key]))},
        bytes_per_token=bytes_per_token(stages, index).get(""),
    )


def _options(before: Any, after: Any) -> dict[str, Any]:
    """Options that differ, with the values after; limits by language last."""
    names = sorted((field.name for field in fields(after)), key=lambda name: name == BY_LANGUAGE)
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


def _notes(stages: Stages, index: int, found: dict[int, Tuning], schema: pa.Schema) -> tuple[str, ...]:
    """What the figures of the last stage found do not say by themselves."""
    own = found[index]
    later = [stages[number] for number in later_stages(stages, index)]
    notes = []
    if own.won.documents:
        notes += _unseen([(entry.name, entry.verb) for entry, _, _ in later])
    for number, earlier in found.items():
        if index in later_stages(stages, number) and earlier.won.documents:
            notes.append(
                f"{earlier.stage} lets {earlier.won.documents:,} more documents through under its new limits, which "
                f"{own.stage} never measured: what it wins is a lower bound"
            )
    copies = [entry.name for entry, _, manifest in later if entry.verb.clusters and manifest.merged("dropped")]
    if own.lost.kept_to_end and copies:
        notes.append(f"{', '.join(copies)} kept one of several copies: where that one is lost, another takes its place")
    if own.won.documents or own.lost.documents:
        how = "the number and mean length of words" if word_column(schema) else "the mean of its shard"
        notes.append(f"bytes of text are estimated by {how}, scaled to each shard's exact totals")
    if own.won.documents and own.bytes_per_token is not None:
        notes.append(f"tokens won are those bytes at {own.bytes_per_token:.2f} bytes per token; tokens lost are exact")
    if own.bytes_per_token is None:
        notes.append("no tokenize stage has run after this one, so tokens are unknown")
    return tuple(notes)


def _not_set(after: RuleSets, proposed_from: Spreads | None) -> list[str]:
    """Limits that a recipe would refuse, and languages that no limits were proposed for."""
    notes = []
    endless = [f"{key}.{rule.signal}" for key, part in after.items() for rule in part.rules() if not rule.can_fire()]
    if endless:
        notes.append(f"a recipe has to limit {', '.join(endless)}: give a value that no document is beyond")
    if proposed_from is not None:
        names = [name for name in proposed_from.documents if name is not None]
        small = len(names) - len(proposed_from.known_languages())
        if small:
            notes.append(f"languages of fewer than {LEAST} documents ({small} here) get no limits of their own")
    return notes


def _unseen(later: list[tuple[str, Verb]]) -> list[str]:
    """What is not known of documents won: `later` stages, by name and verb, have not read them."""
    judges = [name for name, verb in later if verb.judges or verb.clusters]
    editors = [name for name, verb in later if verb.edits]
    notes = []
    if judges:
        notes.append(f"documents won were never measured by {', '.join(judges)}: how many those would keep is unknown")
    if editors:
        notes.append(f"documents won were never edited by {', '.join(editors)}: their bytes are those before it")
    return notes
