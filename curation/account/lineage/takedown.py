"""What a takedown would touch: the documents, their copies, their rows in every stage and shard, who trained on them.

Nothing is changed here. Everything is found by look-ups and narrow columns (see `requests`, `copies`, `branches` and
`lineage`), none of which a takedown changes but the lineage: so the same plan of rows comes out again after a crash.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from curation.account.lineage.copies import link_methods, values_of, with_copies
from curation.account.lineage.requests import Request, find
from curation.account.lineage.trainings import Training, packs_of_others, reads, trainings_on
from curation.account.run.run_graph import Branches, Rows
from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, RUN, read_json, read_manifest
from curation.core.threads import at_once
from curation.core.verbs import DEDUP, Verb
from curation.tokens.lineage import segments_of

OWN_FILES = (RUN, ".lock", f"_partial.{RUN}")


@dataclass(frozen=True)
class StageShare:
    """What one stage holds of the documents. `segments` of a stage of token shards; `learnt` of a fitted asset: kept
    documents that it read, or drew its sample from."""

    stage: str
    verb: Verb
    current: bool  # False: the run has it no more
    rows: int = 0
    files: int = 0
    segments: int = 0
    learnt: int = 0


@dataclass(frozen=True)
class Trained:
    """A training run whose steps saw some of the documents; checkpoints are those saved after the first of them."""

    training: str
    steps: int  # that saw them, of those that the run was asked for
    first_step: int  # counted from 0
    done: int  # updates that the run is known to have made
    checkpoints: tuple[int, ...]
    problem: str = ""  # why it cannot be said
    planned: int = 0  # updates that the run was asked for


@dataclass(frozen=True)
class Plan:
    """`documents` are doc_ids: those asked for, then their copies. `rows` are all their rows, by stage and shard."""

    run: str
    asked: int
    not_found: tuple[str, ...]
    documents: tuple[str, ...]
    texts: tuple[str, ...]  # hashes of their texts
    copies: int
    passes: int  # over dedup stages, to find the copies
    stages: tuple[StageShare, ...]
    trainings: tuple[Trained, ...]
    elsewhere: tuple[dict[str, str | None], ...]  # copies in earlier runs: {"run", "doc_id"}
    later_runs: tuple[str, ...]  # runs beside this one that were compared with it and may hold copies
    blooms: tuple[str, ...]  # filters that hold hashes of them and cannot forget
    mixed_runs: tuple[str, ...]  # runs whose rows a mix of this one takes too
    leftovers: tuple[str, ...]  # in the run's folder, and not looked into


def plan(branches: Branches, request: Request, trainings: Sequence[str] = ()) -> tuple[Plan, Rows]:
    """What taking down the documents of a request means, and all their rows.

    Raises InputError where none of them is in the run, or the run has stages that are not finished.
    """
    refuse_unsealed(branches)
    asked, seen = find(branches, request.kind, request.values)
    if not asked:
        raise InputError(
            f"none of the {len(request.values)} in the request is in {branches.folder}; it was not in its input, or "
            "stands there under another name: ask `winnow why` for one of them"
        )
    copies = with_copies(branches, asked)
    given, every = (values_of(branches, some, "doc_id") for some in (asked, copies.rows))
    documents = tuple(dict.fromkeys([*given, *every]))
    rows = branches.spread(copies.rows)
    held = _held(branches, rows, documents)
    return Plan(
        run=branches.folder,
        asked=len(request.values),
        not_found=tuple(value for value in request.values if value not in seen),
        documents=documents,
        texts=tuple(values_of(branches, copies.rows, "text_hash")),
        copies=len(documents) - len(given),
        passes=copies.passes,
        stages=_shares(branches, rows, held),
        trainings=_trained(branches, held, trainings),
        elsewhere=tuple(copies.elsewhere),
        later_runs=_later_runs(branches),
        blooms=_blooms(branches, rows),
        mixed_runs=_mixed_runs(branches),
        leftovers=_leftovers(branches),
    ), rows


def refuse_unsealed(branches: Branches) -> None:
    """Raises InputError where a stage has begun and is not sealed: its files are not known well enough to change."""
    known = {stage.folder for stage in branches.stages}
    for name in storage.list_names(branches.folder):
        path = storage.join(branches.folder, name)
        begun = any(storage.exists(storage.join(path, one)) for one in ("_commits", "_keys", "_sketches"))
        if begun and path not in known:
            raise InputError(
                f"{path} is not finished and may hold the documents: run the recipe to its end, or delete that folder"
            )


@dataclass(frozen=True)
class _Held:
    """What a token shard of the stage `number` has of the documents: row and position of each segment."""

    number: int
    part: str
    split: str
    places: tuple[tuple[int, int], ...]


def _held(branches: Branches, rows: Rows, documents: tuple[str, ...]) -> list[_Held]:
    ids = pa.array(documents, pa.string())

    def of_unit(place: tuple[int, int]) -> list[_Held]:
        (number, unit), found = place, []
        stage = branches.stages[number]
        for part in stage.manifest.commits[unit].extra["parts"]:
            segments = segments_of(storage.join(stage.folder, f"{part['name']}.parquet"), ids)
            places = zip(segments["row"].to_pylist(), segments["position"].to_pylist(), strict=True)
            if segments.num_rows:
                found.append(_Held(number, part["name"], part["split"], tuple(places)))
        return found

    packed = [(number, unit) for number, unit in sorted(rows) if branches.stages[number].manifest.verb.packs]
    return [one for several in at_once(of_unit, packed) for one in several]


def _shares(branches: Branches, rows: Rows, held: list[_Held]) -> tuple[StageShare, ...]:
    shares = []
    for number, stage in enumerate(branches.stages):
        own = {shard: found for (of, shard), found in rows.items() if of == number}
        packed = [one for one in held if one.number == number]
        total = sum(map(len, own.values()))
        head = stage.name, stage.manifest.verb, stage.current
        if own and stage.manifest.verb.documents:
            shares.append(StageShare(*head, rows=total, files=len(own)))
        elif own and stage.manifest.verb.learns:
            shares.append(StageShare(*head, learnt=total))
        elif packed:
            segments = sum(len(one.places) for one in packed)
            shares.append(StageShare(*head, rows=total, files=len(packed), segments=segments))
    return tuple(shares)


def _trained(branches: Branches, held: list[_Held], more: Sequence[str]) -> tuple[Trained, ...]:
    train = [(branches.stages[one.number].folder, one.part, one.places) for one in held if one.split == "train"]
    made = [_seen(one, train, branches.folder) for one in trainings_on(branches.folder, more)]
    return tuple(one for one in made if one.steps or one.problem)


def _seen(training: Training, held: Sequence[tuple[str, str, tuple[tuple[int, int], ...]]], run: str) -> Trained:
    if not reads(training, run):
        return Trained(
            training.folder, 0, 0, training.done, (), f"its data is {training.data}, and no part of this run"
        )
    try:
        steps = sorted({step for pack, name, places in held for step in training.steps_of(pack, name, places)})
    except InputError as error:
        return Trained(training.folder, 0, 0, training.done, (), str(error))
    if not steps:
        return Trained(training.folder, 0, 0, training.done, ())
    checkpoints = tuple(one for one in training.checkpoints if one > steps[0])
    return Trained(training.folder, len(steps), steps[0], training.done, checkpoints, planned=training.steps)


def _later_runs(branches: Branches) -> tuple[str, ...]:
    """Runs beside this one with a dedup stage that was compared with one of its stages."""
    home = branches.folder.rpartition("/")[0]
    own = {stage.folder for stage in branches.stages if link_methods(stage)}
    found = []
    for name in storage.list_names(home) if own else ():
        run = storage.join(home, name)
        content = read_json(storage.join(run, RUN)) if run != branches.folder else None
        stages = content.get("stages", ()) if isinstance(content, dict) else ()
        folders = [storage.join(run, one["folder"]) for one in stages if one["verb"] == DEDUP.name]
        manifests = [read_manifest(one) for one in folders]
        against = {one["folder"] for m in manifests if m for one in (m.dedup or {}).get("earlier", ())}
        if against & own:
            found.append(run)
    return tuple(found)


def _blooms(branches: Branches, rows: Rows) -> tuple[str, ...]:
    reached = {number for number, _ in rows}
    stages = [stage for number, stage in enumerate(branches.stages) if number in reached]
    return tuple(storage.join(one.folder, "bloom") for one in stages if (one.manifest.dedup or {}).get("bloom"))


def _mixed_runs(branches: Branches) -> tuple[str, ...]:
    mixes = [stage.folder for stage in branches.stages if stage.manifest.verb.mixes]
    return tuple(dict.fromkeys(pack.rpartition("/")[0] for mix in mixes for pack in packs_of_others(mix)))


def _leftovers(branches: Branches) -> tuple[str, ...]:
    """Files and folders beside the stages, and stages that nothing leads to."""
    adrift = {stage.folder for stage in branches.adrift()}
    known = {stage.folder for stage in branches.stages} - adrift
    names = [name for name in storage.list_names(branches.folder) if name not in OWN_FILES]
    paths = (storage.join(branches.folder, name) for name in names)
    return tuple(path for path in paths if path not in known and (path in adrift or not _is_stage(path)))


def _is_stage(path: str) -> bool:
    return storage.exists(storage.join(path, MANIFEST))
