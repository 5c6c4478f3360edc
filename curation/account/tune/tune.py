"""Tries other limits on a finished run: the documents they would win and lose, from the stored signals, without text.

Every rule of a stage measured every row that the stage read, so a stage's figures are exact. Their meaning for the run:
a lost document is followed to its end, because a later stage may have dropped it anyway. Later stages never measured a
won document, so their verdict on it is unknown. If an earlier stage is loosened too, the documents it wins are missing
here, and the figure is a lower bound. The notes say which of these apply.
"""

from dataclasses import fields, replace
from math import inf
from typing import Any

import pyarrow as pa

from curation.account.sealed.bounds import recorded
from curation.account.sealed.components import BY_LANGUAGE, stored_item
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.sealed.walk import later_stages
from curation.account.status import not_yet
from curation.account.tune.changed_verdicts import Gone, Moves, bytes_per_token, count_moves
from curation.account.tune.kept_languages import kept_languages
from curation.account.tune.limits import (
    Changes,
    RuleSets,
    bounds_by_limit,
    recipe_item,
    rule_sets,
    rules_of,
    with_changes,
)
from curation.account.tune.signals import columns_for, has_language, word_column
from curation.account.tune.spreads import LEAST, Spreads, histogram, proposed, read_spreads
from curation.account.tune.tune_report import Tuning, language_lines, limit_lines, sides
from curation.core.close_names import nearest
from curation.core.errors import InputError, UserError
from curation.core.filter import Filter


def tune(
    run: RunFolder,
    name: str | None = None,
    *,
    changes: Changes | None = None,
    quantile: float | None = None,
    sigma: float | None = None,
    by_language: bool = False,
) -> list[Tuning]:
    """Tries other limits on the filter stage `name`, else on the stages that `changes` name, else on all.

    `quantile` or `sigma` proposes every limit that has an option from the corpus, with `by_language` also per language;
    `changes` override it. Raises UserError for an unknown option or an impossible value, InputError for an unknown
    stage.
    """
    _check_shares(quantile, sigma)
    changes = changes or {}
    gone: Gone = {}
    tunings: dict[SealedStage, Tuning] = {}
    for stage in chosen(run, name, changes):
        before = rule_sets(run, stage)
        schema = stage.schema
        if by_language and not has_language(schema):
            raise UserError(f"{stage.name}: --by-language needs a `language` filter in this stage or an earlier one")
        limits = {key: changes.get(key, {}) for key in before}
        tried = _changed(before, limits)
        signals = [f"{key}.{rule.signal}" for key, rule in rules_of(before) + rules_of(tried)]
        spreads = read_spreads(stage.shards, columns_for(schema, before, tried), list(dict.fromkeys(signals)))
        if quantile is not None or sigma is not None:
            corpus = proposed(before, spreads, quantile=quantile, sigma=sigma, by_language=by_language)
            limits = {key: corpus.get(key, {}) | options for key, options in limits.items()}
        after = _changed(before, limits)
        moves = count_moves(run, stage, after, columns_for(schema, before, after), gone)
        tuning = _tuning(run, stage, (before, after), spreads, moves, by_language)
        notes = [] if run.record.complete else ["the run is not finished: its last sealed stage counts as its end"]
        notes += _not_set(after, spreads if by_language and (quantile or sigma) else None)
        tunings[stage] = replace(tuning, notes=(*notes, *_notes(run, stage, tuning, tunings, schema)))
    return list(tunings.values())


def _check_shares(quantile: float | None, sigma: float | None) -> None:
    if quantile is not None and sigma is not None:
        raise UserError("give either a quantile or sigma, not both")
    if quantile is not None and not 0 < quantile <= 1:
        raise UserError(f"a quantile is above 0 and at most 1, e.g. 0.99 to keep 99 % at each limit; got {quantile}")
    if sigma is not None and not 0 < sigma < inf:
        raise UserError(f"sigma is a number of standard deviations above 0, e.g. 3; got {sigma}")


def chosen(run: RunFolder, name: str | None, changes: Changes) -> list[SealedStage]:
    """Raises InputError if there is no such filter stage, or none with a rule set that `changes` name."""
    filters = [stage for stage in run.stages if stage.verb.judges]
    if not filters:
        pending = not_yet(run) or "there are no limits to try"
        raise InputError(f"this run has no finished filter stage: {pending}")
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
                reason = f"{cascades[0]} uses it to choose a page's parser; set it in the recipe and curate"
                raise InputError(f"--set {key}: {reason}")
            raise InputError(f"--set {key}: {where} has no rule set {key!r}{nearest(key, known)}")
    return [stage for stage in filters if name is not None or not changes or keys[stage] & set(changes)]


def _keys(stage: SealedStage) -> set[str]:
    return {key for key, _ in recorded(stage.manifest)}


def _changed(sets: RuleSets, changes: Changes) -> RuleSets:
    return {key: with_changes(key, rule_set, changes[key]) for key, rule_set in sets.items()}


def _tuning(
    run: RunFolder,
    stage: SealedStage,
    sets: tuple[RuleSets, RuleSets],
    spreads: Spreads,
    moves: Moves,
    by_language: bool,
) -> Tuning:
    manifest = stage.manifest
    languages = [None, *(spreads.known_languages() if by_language else ())]
    bounds = bounds_by_limit(rules_of(sets[0])), bounds_by_limit(rules_of(sets[1]))
    options = {key: options for key, rule_set in sets[0].items() if (options := _options(rule_set, sets[1][key]))}
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
        options=options,
        chain=stage.entry.chain,
        item=recipe_item(run, stage, sets[1], options),
        kept_languages=kept_languages(run.record.recipe, stored_item(run, stage)),
        bytes_per_token=bytes_per_token(run, stage).get(""),
    )


def _options(before: Filter, after: Filter) -> dict[str, Any]:
    """The options that differ, with their new values; limits by language last."""
    names = sorted((field.name for field in fields(after)), key=lambda name: name == BY_LANGUAGE)
    return {name: getattr(after, name) for name in names if getattr(after, name) != getattr(before, name)}


def _notes(
    run: RunFolder, stage: SealedStage, own: Tuning, before: dict[SealedStage, Tuning], schema: pa.Schema
) -> tuple[str, ...]:
    """What the figures do not show by themselves; `before` has the stages tuned before this one."""
    later = later_stages(run, stage)
    judges = [after.name for after in later if after.verb.judges or after.verb.clusters]
    editors = [after.name for after in later if after.verb.edits]
    notes = []
    if own.options and not own.item:
        keys = ", ".join(own.options)
        notes.append(
            f"{own.stage} judges again by quantiles what an earlier stage measured with {keys}: a recipe cannot state "
            "numbers there, so name another percentile, or set the limits in the earlier stage"
        )
    gone = stage.manifest.originals
    if gone is not None and gone["address"] != stage.manifest.address:
        notes.append(
            f"the originals went when {gone['stage']} was sealed: {own.stage} cannot run here again; curate "
            "a recipe with other limits into a new folder, from the archives"
        )
    if own.won.documents and judges:
        notes.append(f"documents won were never measured by {', '.join(judges)}: how many they would keep is unknown")
    if own.won.documents and editors:
        notes.append(f"documents won were never edited by {', '.join(editors)}: their bytes are those before the edit")
    for above, earlier in before.items():
        if earlier.won.documents and stage in later_stages(run, above):
            notes.append(
                f"{earlier.stage} lets {earlier.won.documents:,} more documents through under its new limits, which "
                f"{own.stage} never measured: its wins are a lower bound"
            )
    copies = [after.name for after in later if after.verb.clusters and after.manifest.merged("dropped")]
    if own.lost.kept_to_end and copies:
        notes.append(f"{', '.join(copies)} kept one of several copies: if that copy is lost, another takes its place")
    if own.won.documents or own.lost.documents:
        how = "the number and mean length of words" if word_column(schema) else "the mean of its shard"
        notes.append(f"bytes of text are estimated by {how}, scaled to each shard's exact totals")
    if own.won.documents and own.bytes_per_token is not None:
        notes.append(f"tokens won are those bytes at {own.bytes_per_token:.2f} bytes per token; tokens lost are exact")
    if own.bytes_per_token is None:
        notes.append("no tokenize stage has run after this one, so tokens are unknown")
    return tuple(notes)


def _not_set(after: RuleSets, proposed_from: Spreads | None) -> list[str]:
    """Notes on limits that a recipe would refuse, and on languages too small for proposed limits."""
    notes = []
    endless = [f"{key}.{rule.signal}" for key, rule in rules_of(after) if not rule.can_fire()]
    if endless:
        notes.append(f"a recipe must limit {', '.join(endless)}: give a value that no document exceeds")
    if proposed_from is not None:
        names = [name for name in proposed_from.documents if name is not None]
        small = len(names) - len(proposed_from.known_languages())
        if small:
            notes.append(f"languages with fewer than {LEAST} documents ({small} here) get no limits of their own")
    return notes
