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

from curation.account.run.bounds import recorded
from curation.account.run.run_folder import RunFolder
from curation.account.run.stage import Stage
from curation.account.run.walk import later_stages
from curation.account.tune.changed_verdicts import Gone, Moves, bytes_per_token, count_moves
from curation.account.tune.limits import BY_LANGUAGE, Changes, RuleSets, rule_sets, with_changes
from curation.account.tune.signals import columns_for, has_language, word_column
from curation.account.tune.spreads import LEAST, Spreads, histogram, proposed, read_spreads
from curation.account.tune.tune_report import Tuning, language_lines, limit_lines, limits_of, sides
from curation.core.errors import InputError, UserError
from curation.core.settings import nearest


def tune(
    run: RunFolder,
    name: str | None = None,
    *,
    changes: Changes | None = None,
    quantile: float | None = None,
    sigma: float | None = None,
    by_language: bool = False,
) -> list[Tuning]:
    """The run's filter stages under other limits: the one named so, or those that `changes` name, or all.

    `quantile` or `sigma` set every limit that has an option by the corpus, for each language too with `by_language`;
    `changes` come on top. Raises UserError for an unknown stage or option, and for
    an impossible value.
    """
    _check_shares(quantile, sigma)
    changes = changes or {}
    gone: Gone = {}
    tunings: dict[Stage, Tuning] = {}
    for stage in _chosen(run, name, changes):
        before = rule_sets(run, stage)
        schema = stage.schema
        if by_language and not has_language(schema):
            raise UserError(f"{stage.name}: no stage up to this one found languages to tell documents apart by")
        asked = {key: changes.get(key, {}) for key in before}
        tried = _changed(before, asked)
        signals = [
            f"{key}.{rule.signal}" for one in (before, tried) for key, part in one.items() for rule in part.rules()
        ]
        spreads = read_spreads(stage, columns_for(schema, [before, tried]), list(dict.fromkeys(signals)))
        if quantile is not None or sigma is not None:
            corpus = proposed(before, spreads, quantile=quantile, sigma=sigma, by_language=by_language)
            asked = {key: corpus.get(key, {}) | options for key, options in asked.items()}
        after = _changed(before, asked)
        moves = count_moves(run, stage, after, columns_for(schema, [before, after]), gone)
        tuning = _tuning(run, stage, (before, after), spreads, moves, by_language)
        notes = [] if run.record.complete else ["the run is not finished: its end is the last stage that is"]
        notes += _not_set(after, spreads if by_language and (quantile or sigma) else None)
        tunings[stage] = replace(tuning, notes=(*notes, *_notes(run, stage, tuning, tunings, schema)))
    return list(tunings.values())


def _check_shares(quantile: float | None, sigma: float | None) -> None:
    if quantile is not None and sigma is not None:
        raise UserError("give a quantile or sigma, not both")
    if quantile is not None and not 0 < quantile <= 1:
        raise UserError(f"a quantile is above 0 and at most 1, e.g. 0.99 to keep 99 % at each limit; got {quantile}")
    if sigma is not None and not 0 < sigma < inf:
        raise UserError(f"sigma is a number of standard deviations above 0, e.g. 3; got {sigma}")


def _chosen(run: RunFolder, name: str | None, changes: Changes) -> list[Stage]:
    """The filter stages to look at. Raises InputError where there is none, or none with a rule set that is named."""
    filters = [stage for stage in run.stages if stage.verb.judges]
    if not filters:
        raise InputError("no filter stage of this run is finished, so it has no limits to try")
    if name is not None:
        names = [stage.name for stage in filters]
        filters = [stage for stage in filters if name in (stage.name, stage.entry.folder)]
        if not filters:
            raise InputError(f"the run has no filter stage {name!r}{nearest(name, names)}")
    keys = {stage: _keys(stage) for stage in filters}
    known = sorted({key for own in keys.values() for key in own})
    for key in changes:
        if key not in known:
            where = f"stage {name}" if name else "the run"
            cascades = [stage.name for stage in run.stages if stage.verb.begins and key in _keys(stage)]
            if cascades:
                reason = f"{cascades[0]} chooses by it what parses a page; set it in the recipe and curate"
                raise InputError(f"--set {key}: {reason}")
            raise InputError(f"--set {key}: {where} has no rule set {key!r}{nearest(key, known)}")
    return [stage for stage in filters if name is not None or not changes or keys[stage] & set(changes)]


def _keys(stage: Stage) -> set[str]:
    """Rule sets that have limits in a stage."""
    return {key for key, _ in recorded(stage.manifest)}


def _changed(sets: RuleSets, changes: Changes) -> RuleSets:
    return {key: with_changes(key, part, changes[key]) for key, part in sets.items()}


def _tuning(
    run: RunFolder, stage: Stage, sets: tuple[RuleSets, RuleSets], spreads: Spreads, moves: Moves, by_language: bool
) -> Tuning:
    manifest = stage.manifest
    languages = [None, *(spreads.known_languages() if by_language else ())]
    bounds = limits_of(sets[0]), limits_of(sets[1])
    return Tuning(
        stage=stage.name,
        folder=stage.entry.folder,
        rows=manifest.total("rows"),
        gone=moves.gone,
        kept_before=moves.kept_before.total(),
        kept_after=moves.kept_after.total(),
        dropped_before=manifest.merged("dropped"),
        dropped_after=dict(sorted(moves.dropped.items(), key=lambda item: (-item[1], item[0]))),
        **sides(run, stage, moves.moves()),
        limits=limit_lines(run, stage, sets, moves),
        languages=language_lines(run, stage, moves) if by_language else (),
        histograms=tuple(
            histogram(spreads, name, language, *bounds) for name in spreads.measured for language in languages
        ),
        options={key: options for key, part in sets[0].items() if (options := _options(part, sets[1][key]))},
        bytes_per_token=bytes_per_token(run, stage).get(""),
    )


def _options(before: Any, after: Any) -> dict[str, Any]:
    """Options that differ, with the values after; limits by language last."""
    names = sorted((field.name for field in fields(after)), key=lambda name: name == BY_LANGUAGE)
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


def _notes(
    run: RunFolder, stage: Stage, own: Tuning, before: dict[Stage, Tuning], schema: pa.Schema
) -> tuple[str, ...]:
    """What the stage's figures do not say by themselves; `before` are those of the stages tuned before it."""
    later = later_stages(run, stage)
    judges = [one.name for one in later if one.verb.judges or one.verb.clusters]
    editors = [one.name for one in later if one.verb.edits]
    notes = []
    if own.won.documents and judges:
        notes.append(f"documents won were never measured by {', '.join(judges)}: how many those would keep is unknown")
    if own.won.documents and editors:
        notes.append(f"documents won were never edited by {', '.join(editors)}: their bytes are those before it")
    for above, earlier in before.items():
        if earlier.won.documents and stage in later_stages(run, above):
            notes.append(
                f"{earlier.stage} lets {earlier.won.documents:,} more documents through under its new limits, which "
                f"{own.stage} never measured: what it wins is a lower bound"
            )
    copies = [one.name for one in later if one.verb.clusters and one.manifest.merged("dropped")]
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
