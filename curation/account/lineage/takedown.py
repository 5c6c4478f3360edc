"""Plans a takedown: the documents, their copies, their rows in every stage and shard, and who trained on them.

Planning changes nothing. It uses look-ups and narrow columns (see `look_up`, `sealed/walk`, `copies`) that a takedown
leaves as they are, except the lineage. So the rows of the plan are the same after a crash.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from curation.account.lineage.copies import link_methods, values_of, with_copies
from curation.account.lineage.look_up import find, find_requested
from curation.account.lineage.requests import Request
from curation.account.lineage.trainings import TrainingRun, packs_of_others, reads, trainings_on
from curation.account.redacted import forms_of
from curation.account.sealed.run_folder import RunFolder
from curation.account.sealed.sealed_stage import Rows, SealedStage
from curation.account.sealed.walk import merged, spread
from curation.core import lease, storage
from curation.core.errors import InputError
from curation.core.json_files import find_whole
from curation.core.manifest import MANIFEST, RESTORE, RUN, RunRecord, read_manifest
from curation.core.progress import PROGRESS
from curation.core.removal_list import Kind
from curation.core.run_lock import LOCK
from curation.core.threads import map_threads
from curation.core.token_shapes import TokenPart
from curation.core.verbs import DEDUP, Verb
from curation.tokens.lineage import segments_of
from curation.tokens.manifests import RunStages, parts_of

FIRST_STEPS = ("_commits", "_keys", "_sizes", "_drawn", "_counted")  # folders with which a stage begins
OWN_FILES = (RUN, LOCK, PROGRESS, f"_partial.{RUN}", f"_partial.{PROGRESS}")  # of a run, beside its stages


@dataclass(frozen=True)
class StageShare:
    """The documents' share in one stage. `segments` are in token shards; `learnt` counts kept documents that a fit
    stage read or sampled from."""

    stage: str
    verb: Verb
    current: bool  # False for a stage of an earlier recipe
    rows: int = 0
    files: int = 0
    segments: int = 0
    learnt: int = 0


@dataclass(frozen=True)
class AffectedTraining:
    """A training run that saw some of the documents; `checkpoints` lists those saved after the first such step."""

    training: str
    steps: int  # planned steps that see the documents
    first_step: int  # counted from 0
    done: int  # updates known to be done
    checkpoints: tuple[int, ...]
    problem: str = ""  # why the steps are unknown
    planned: int = 0  # updates in all


@dataclass(frozen=True)
class Plan:
    """`documents` are doc_ids: the requested ones, then their copies."""

    run: str
    asked: int
    not_found: tuple[str, ...]
    documents: tuple[str, ...]
    texts: tuple[str, ...]  # hashes of the documents' texts
    urls: tuple[str, ...]  # hashes of the URLs that were asked for
    copies: int
    passes: int  # over dedup stages, to find the copies
    stages: tuple[StageShare, ...]
    trainings: tuple[AffectedTraining, ...]
    elsewhere: tuple[dict[str, str | None], ...]  # copies that earlier runs still have: {"run", "doc_id"}
    later_runs: tuple[str, ...]  # runs beside this one that read it or deduplicated against it, and may hold copies
    blooms: tuple[str, ...]  # Bloom filters that hold their hashes and cannot forget them
    mixed_runs: tuple[str, ...]  # runs from which a mix of this run takes rows
    leftovers: tuple[str, ...]  # paths in the run's folder that were not searched


def plan(run: RunFolder, request: Request, trainings: Sequence[str] = ()) -> Plan:
    """Plans the takedown of a request. Open `run` with the stages of earlier recipes (`RunFolder.open_with_earlier`).

    Documents are also found by another URL of the same page, because later runs recognise the page by all of them.

    Raises InputError if none of the documents is in the run, or the run has unfinished stages.
    """
    refuse_unsealed(run)
    _refuse_ambiguous(run, request)
    requested, known = find_requested(run, request.kind, request.values)
    others = [value for value in request.values if value not in known]
    if request.kind == "url" and others:
        from curation.account.lineage.removed_rows import same_pages  # loads kernels

        more, new = same_pages(run, others)
        requested, known = merged(requested, more), known | new
    if not requested:
        raise InputError(
            f"none of the requested documents ({len(request.values)}) is in {run.folder}: they were not in its "
            "input, or have other names there; try `winnow why` with one of them"
        )
    not_found = tuple(value for value in request.values if value not in known)
    planned = plan_rows(run, requested, trainings)
    return replace(planned, asked=len(request.values), not_found=not_found, urls=_pages(requested, request.kind))


def _pages(rows: Rows, kind: Kind) -> tuple[str, ...]:
    """Hashes of the rows' URLs where they were asked for: a doc_id asks for one text, and not for what comes later."""
    if kind != "url":
        return ()
    from curation.dedup.page_names import page_names  # loads kernels

    return tuple(page_names(pa.array(values_of(rows, "url"), pa.string())).drop_null().unique().to_pylist())


def plan_rows(run: RunFolder, requested: Rows, trainings: Sequence[str] = ()) -> Plan:
    """Plans the takedown of rows of first stages and of their copies."""
    copies = with_copies(run, requested)
    named, every = (values_of(rows, "doc_id") for rows in (requested, copies.rows))
    documents = tuple(dict.fromkeys([*named, *every]))
    rows = spread(run, copies.rows)
    held = _held(rows, documents)
    return Plan(
        run=run.folder,
        asked=len(named),
        not_found=(),
        documents=documents,
        texts=tuple(values_of(copies.rows, "text_hash")),
        urls=(),
        copies=len(documents) - len(named),
        passes=copies.passes,
        stages=_shares(run, rows, held),
        trainings=_trained(run, held, trainings),
        elsewhere=_still_there(copies.elsewhere),
        later_runs=_later_runs(run),
        blooms=_blooms(run, rows),
        mixed_runs=_mixed_runs(run),
        leftovers=_leftovers(run),
    )


def _refuse_ambiguous(run: RunFolder, request: Request) -> None:
    """Raises InputError for a URL that a redacting stage made equal to that of other documents."""
    for form, url in forms_of(run.record, request.values).items() if request.kind == "url" else ():
        documents = values_of(find(run, "url", [form])[0], "doc_id")
        if len(documents) > 1:
            raise InputError(
                f"{len(documents)} documents of {run.folder} have the URL that redaction made of {url}, and nothing "
                "tells which of them had it: choose among those that `winnow why --url` shows, and name them by doc_id"
            )


def refuse_unsealed(run: RunFolder) -> None:
    """Raises InputError if a stage has begun and is not sealed: only the files of sealed stages are known."""
    known = {stage.folder for stage in run.stages}
    for name in storage.list_names(run.folder):
        path = storage.join(run.folder, name)
        begun = any(storage.exists(storage.join(path, folder)) for folder in FIRST_STEPS)
        if begun and path not in known:
            raise InputError(
                f"{path} is not finished and may hold the documents: run the recipe to its end, or delete that folder"
            )


@dataclass(frozen=True)
class _Held:
    """The documents' segments in one token shard: (row, position) of each."""

    pack: SealedStage
    part: str
    split: str
    places: list[tuple[int, int]]


def _held(rows: Rows, documents: tuple[str, ...]) -> list[_Held]:
    ids = pa.array(documents, pa.string())

    def of_part(pack_and_part: tuple[SealedStage, TokenPart]) -> _Held:
        pack, part = pack_and_part
        segments = segments_of(storage.join(pack.folder, f"{part['name']}.parquet"), ids)
        places = zip(segments["row"].to_pylist(), segments["position"].to_pylist(), strict=True)
        return _Held(pack, part["name"], part["split"], list(places))

    packed: dict[SealedStage, list[int]] = {}
    for shard in sorted((shard for shard in rows if shard.stage.verb.packs), key=lambda shard: shard.key):
        packed.setdefault(shard.stage, []).append(shard.number)
    parts = [
        (pack, part)
        for pack, shards in packed.items()
        for part in parts_of((pack.manifest.tokens or {})["parts"], shards)
    ]
    return [held for held in map_threads(of_part, parts) if held.places]


def _shares(run: RunFolder, rows: Rows, held: list[_Held]) -> tuple[StageShare, ...]:
    shares = []
    for stage in run.stages:
        own = [numbers for shard, numbers in rows.items() if shard.stage is stage]
        packed = [len(segments.places) for segments in held if segments.pack is stage]
        total = sum(map(len, own))
        head = (stage.entry.folder, stage.verb, stage.current)
        if own and stage.verb.learns:
            shares.append(StageShare(*head, learnt=total))
        elif packed or (own and stage.verb.documents):
            shares.append(StageShare(*head, rows=total, files=len(packed or own), segments=sum(packed)))
    return tuple(shares)


def _trained(run: RunFolder, held: list[_Held], more: Sequence[str]) -> tuple[AffectedTraining, ...]:
    train = [segments for segments in held if segments.split == "train"]
    trained = (_trained_on(training, train, run.folder) for training in trainings_on(run.folder, more))
    return tuple(training for training in trained if training.steps or training.problem)


def _trained_on(training: TrainingRun, held: Sequence[_Held], run: str) -> AffectedTraining:
    """Has no steps if the training saw none of the documents, or if that is unknown."""
    steps = list[int]()
    problem = ""
    if not reads(training, run):
        problem = f"its data is {training.data}, which is outside this run"
    else:
        try:
            steps = sorted({step for own in held for step in training.steps_of(own.pack.folder, own.part, own.places)})
        except InputError as error:
            problem = str(error)
    first, planned = (steps[0], training.steps) if steps else (0, 0)
    checkpoints = tuple(step for step in training.checkpoints if steps and step > first)
    return AffectedTraining(training.folder, len(steps), first, training.done, checkpoints, problem, planned)


def _still_there(copies: Sequence[dict[str, str | None]]) -> tuple[dict[str, str | None], ...]:
    """Copies in earlier runs without those that have been taken down there."""
    gone = {folder: _tombstones(folder) for folder in dict.fromkeys(str(copy["run"]) for copy in copies)}
    return tuple(copy for copy in copies if copy["doc_id"] not in gone[str(copy["run"])])


def _tombstones(folder: str) -> set[str]:
    record = find_whole(storage.join(folder, RUN), RunRecord, RESTORE)
    return set(record.tombstones) if record else set()


def _later_runs(run: RunFolder) -> tuple[str, ...]:
    """Runs beside this one that read it, or have a dedup stage that was compared with a stage of it."""
    home = run.folder.rpartition("/")[0]
    own = {stage.folder for stage in run.stages if link_methods(stage)}
    later = []
    for name in storage.list_names(home):
        folder = storage.join(home, name)
        record = find_whole(storage.join(folder, RUN), RunStages, RESTORE) if folder != run.folder else None
        if record is not None and run.folder in record.get("reads", ()):
            later.append(folder)
            continue
        dedups = (
            [entry["folder"] for entry in record["stages"] if entry["verb"] == DEDUP.name] if record and own else []
        )
        manifests = [read_manifest(storage.join(folder, name)) for name in dedups]
        against = {stage["folder"] for m in manifests if m for stage in (m.dedup or {}).get("earlier", ())}
        if against & own:
            later.append(folder)
    return tuple(later)


def _blooms(run: RunFolder, rows: Rows) -> tuple[str, ...]:
    reached = {shard.stage for shard in rows}
    stages = (stage for stage in run.stages if stage in reached and (stage.manifest.dedup or {}).get("bloom"))
    return tuple(storage.join(stage.folder, "bloom") for stage in stages)


def _mixed_runs(run: RunFolder) -> tuple[str, ...]:
    mixes = [stage.folder for stage in run.stages if stage.verb.mixes]
    return tuple(dict.fromkeys(pack.rpartition("/")[0] for mix in mixes for pack in packs_of_others(mix)))


def _leftovers(run: RunFolder) -> tuple[str, ...]:
    """Paths beside the stages, and stages with documents or tokens whose upstream stages are gone."""
    holding = [stage for stage in run.stages if stage.verb.documents or stage.verb.packs]
    adrift = {stage.folder for stage in holding if not run.has_upstream(stage)}
    known = {stage.folder for stage in run.stages} - adrift
    names = (
        name for name in storage.list_names(run.folder) if name not in OWN_FILES and not lease.NAME.fullmatch(name)
    )
    others = (path for name in names if (path := storage.join(run.folder, name)) not in known)
    return tuple(path for path in others if path in adrift or not storage.exists(storage.join(path, MANIFEST)))
