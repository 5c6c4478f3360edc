"""Gathers what a report of a run shows, from its sealed files: at most so many shards of each stage are read.

The same run gives the same report: nothing in it comes from the clock or the machine, but for the seconds and the
energy that its manifests record. `lacking` says in sentences what a run does not have, or does not have yet.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from curation.account.card.stage_facts import CONTAMINATION, Input, inputs
from curation.account.duplicates import StageDuplicates, stage_duplicates
from curation.account.funnel import Funnel, funnel
from curation.account.redacted import Redactor
from curation.account.report.alerts import Alert, alerts
from curation.account.report.composition import Composition, Loss, Sampled, bytes_per_token, composition, losses
from curation.account.report.documents import SampledDocument, final_documents, sampled_documents
from curation.account.report.flow import SourceFlow, source_flows
from curation.account.report.limits import LimitedSignal, limited_signals
from curation.account.report.sampling import sampled, sampled_rows
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import SealedStage
from curation.account.status import not_yet
from curation.core.errors import InputError
from curation.core.manifest import RunRecord
from curation.core.stage_shapes import ContaminationOptions

DOCUMENTS = 600  # in a report
LEAST = 4  # of a stage, while there is room
SHARE = 3  # of what each stage would have if all had the same, at most
HISTOGRAMS = 1500  # in a report


@dataclass(frozen=True)
class SetLeakage:
    """Documents of a contamination stage that hold enough of an item, by its set; those of sets that none holds are 0.
    `exact`: whether all documents were read."""

    stage: str
    action: str
    by_set: dict[str, int]
    dropped: int
    exact: bool


@dataclass(frozen=True)
class StageCost:
    """What a stage took: `file_bytes` is written, `seconds` is work of all workers, `wall_seconds` the time it took."""

    stage: str
    verb: str
    units: int
    seconds: float
    wall_seconds: float
    file_bytes: int
    errors: int
    faults: int
    lost_units: int
    kilowatt_hours: float | None


@dataclass(frozen=True)
class RunReport:
    """Everything that the page shows. `final` are documents of the final text. `fingerprint` tells two states of a run
    apart; `edits` counts by stage what rewriters changed, personal data by kind among it."""

    run: str
    folder: str
    state: str  # "" for a finished run
    fingerprint: str
    alerts: tuple[Alert, ...]
    lacking: tuple[str, ...]
    inputs: tuple[Input, ...]
    funnel: Funnel
    flows: tuple[SourceFlow, ...]
    losses: tuple[Loss, ...]
    composition: Composition
    bytes_per_token: tuple[tuple[str | None, float], ...]
    limits: dict[str, tuple[LimitedSignal, ...]]
    final: tuple[SampledDocument, ...]
    documents: dict[str, tuple[SampledDocument, ...]]
    duplicates: tuple[StageDuplicates, ...]
    edits: dict[str, dict[str, int]]
    contamination: tuple[SetLeakage, ...]
    costs: tuple[StageCost, ...]
    takedowns: tuple[dict[str, Any], ...]
    recipe: dict[str, Any]


def run_report(run: RunFolder) -> RunReport:
    """Raises InputError for a run without a sealed stage of documents, with what it waits for."""
    stages = tuple(stage for stage in run.stages if stage.verb.documents)
    if not stages:
        raise InputError(
            f"{run.folder} has no sealed stage of documents to report; {not_yet(run) or 'its recipe has none'}"
        )
    redactor = Redactor.of(run)
    read: Sampled = {stage: sampled_rows(stage) for stage in stages}
    made_of = composition(stages, read)
    told = funnel(run)
    flows = source_flows(stages)
    final = final_documents(run, redactor)
    by_stage = {stage.entry.folder: limited_signals(stage) for stage in stages if stage.verb.judges}
    return RunReport(
        run=run.record.name,
        folder=run.folder,
        state=not_yet(run),
        fingerprint=fingerprint(run.record),
        alerts=alerts(stages, read, flows, redactor),
        lacking=tuple(_lacking(run, told)),
        inputs=inputs(run),
        funnel=told,
        flows=flows,
        losses=losses(stages, read),
        composition=made_of,
        bytes_per_token=bytes_per_token(made_of),
        limits=_first(by_stage, HISTOGRAMS),
        final=final,
        documents=_documents(run, stages, redactor, {*run.record.tombstones, *(one.doc_id for one in final)}),
        duplicates=tuple(stage_duplicates(one, redactor, sampled(one)) for one in stages if one.verb.clusters),
        edits={stage.entry.folder: edits for stage in stages if stage.verb.edits and (edits := _edits(stage))},
        contamination=tuple(_contaminations(run, stages)),
        costs=tuple(map(_cost, run.stages)),
        takedowns=tuple(run.record.takedowns),
        recipe=run.record.recipe,
    )


def fingerprint(record: RunRecord) -> str:
    """SHA-256 (hex) of what a report depends on: the addresses of the stages, and the takedowns."""
    state = [[entry.address for entry in record.stages], [one["when"] for one in record.takedowns], record.complete]
    return hashlib.sha256(json.dumps([*state, record.takedowns_finished]).encode()).hexdigest()


def _lacking(run: RunFolder, told: Funnel) -> Iterator[str]:
    verbs = [stage.verb for stage in run.stages]
    stages = _recipe_stages(run.record.recipe)
    asked = {name for one in stages for key in one for name in (key, *(one[key] if isinstance(one[key], dict) else ()))}

    def why(name: str) -> str:
        return "its stage is not finished" if name in asked else f"the recipe has no `{name}`"

    if not any(verb.encodes for verb in verbs):
        yield f"Its documents have no tokens: {why('tokenize')}."
    if told.mixture is None:
        yield f"It has no mixture: {why('mix')}."
    if not any(verb.clusters for verb in verbs):
        yield f"Nothing looked for duplicates: {why('dedup')}."
    if not any(CONTAMINATION in stage.manifest.order for stage in run.stages if stage.verb.judges):
        yield f"Nothing looked for items of evaluation sets, so whether any leaked is not known: {why(CONTAMINATION)}."
    if told.taken_down and not told.takedowns_finished:
        yield "A takedown is not finished; the same `winnow takedown` finishes it."


def _recipe_stages(recipe: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The stages of all chains, as run.json has them."""
    return [stage for chain in (*recipe["sources"].values(), recipe["joined"]) for stage in chain]


def _first(figures: Mapping[str, tuple[LimitedSignal, ...]], most: int) -> dict[str, tuple[LimitedSignal, ...]]:
    """As many as there is room for, stage by stage."""
    kept = {}
    for stage, own in figures.items():
        kept[stage] = own[:most]
        most -= len(kept[stage])
    return kept


def _documents(
    run: RunFolder, stages: tuple[SealedStage, ...], redactor: Redactor, shown: set[str]
) -> dict[str, tuple[SampledDocument, ...]]:
    """By stage, in the order of the run; the stages that dropped most come first where there is no room for all. None
    whose id is in `shown`, or is shown of another stage."""
    each = max(DOCUMENTS // len(stages), LEAST)
    found = {}
    room = DOCUMENTS
    left = len(stages)
    for stage in sorted(stages, key=lambda stage: sum(stage.manifest.merged("dropped").values()), reverse=True):
        left -= 1
        own = min(max(each, room - LEAST * left), SHARE * each, room)
        found[stage] = sampled_documents(run, stage, redactor, own, shown)
        room -= len(found[stage])
    return {stage.entry.folder: found[stage] for stage in stages if found.get(stage)}


def _edits(stage: SealedStage) -> dict[str, int]:
    return {name: count for name, count in stage.manifest.merged("counts").items() if count}


def _contaminations(run: RunFolder, stages: tuple[SealedStage, ...]) -> Iterator[SetLeakage]:
    for stage in stages:
        if stage.verb.judges and CONTAMINATION in stage.manifest.order:
            shards = sampled(stage)
            found = Counter[str](dict.fromkeys(_sets(run.record.recipe), 0))
            for shard in shards:
                column = shard.read([f"{CONTAMINATION}.set"])[CONTAMINATION].combine_chunks()
                found.update(column.field("set").drop_null().to_pylist())
            read = sum(shard.part.rows for shard in shards)
            dropped = stage.manifest.merged("dropped")
            yield SetLeakage(
                stage=stage.name,
                action=stage.manifest.options(CONTAMINATION, ContaminationOptions)["action"],
                by_set=dict(sorted(found.items(), key=lambda one: (-one[1], one[0]))),
                dropped=sum(n for reason, n in dropped.items() if reason.startswith(f"{CONTAMINATION}.")),
                exact=read == stage.manifest.total("rows"),
            )


def _sets(recipe: Mapping[str, Any]) -> list[str]:
    """The names of the evaluation sets that the recipe indexes."""
    fits = (stage["fit"] for stage in _recipe_stages(recipe) if "fit" in stage)
    return [name for fit in fits for name in fit.get("evalsets", {}).get("sets", {})]


def _cost(stage: SealedStage) -> StageCost:
    manifest = stage.manifest
    energy = manifest.energy.energy_consumed if manifest.energy else None
    return StageCost(
        stage=stage.name,
        verb=str(stage.verb),
        units=manifest.shards.units,
        seconds=sum(step.seconds for step in manifest.steps),
        wall_seconds=manifest.wall_seconds,
        file_bytes=sum(step.file_bytes for step in manifest.steps),
        errors=sum(n for reason, n in manifest.merged("dropped").items() if reason.startswith("error.")),
        faults=manifest.shards.fault_count,
        lost_units=len(manifest.shards.lost),
        kilowatt_hours=energy if isinstance(energy, float) else None,
    )
