"""Training runs as their folders describe them: the data they read, their progress, and the steps that see a row.

The folder holds `config.json` (settings, path and fingerprint of the data), checkpoints, `metrics.jsonl`, and
`result.json` once the training is finished.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NotRequired, TypedDict

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.json_files import find_whole, parse_json
from curation.core.manifest import MANIFEST
from curation.core.shapes import Count, Positive, checked
from curation.tokens.manifests import INDEX, mix_folder, read_index
from curation.tokens.shards import TokenData
from curation.tokens.step_rows import RunSegment, StepRows, read_skipped, segment_of

CONFIG = "config.json"
RESULT = "result.json"
METRICS = "metrics.jsonl"
CHECKPOINTS = "checkpoints"
WRITTEN = "give the --output of a `winnow train`, or restore it from a copy"
_CHECKPOINT = re.compile(r"step_(\d+)")


class BatchRows(TypedDict):
    """The rows of each of so many steps."""

    steps: Count
    rows: Positive


class Settings(TypedDict):
    """The settings that say which rows a step reads."""

    steps: Count
    batch_rows: Positive
    batch_stages: NotRequired[list[BatchRows]]
    sequence_length: NotRequired[Positive | None]


class Parent(TypedDict):
    """The fields on the beginning of a branch that are read."""

    segments: list[RunSegment]


class TrainingRecord(TypedDict):
    """The fields of CONFIG that are read."""

    config: Settings
    data: str
    path: str
    parent: NotRequired[Parent]


class ResultSteps(TypedDict):
    """The fields of RESULT that are read."""

    steps: Count


class RecordStep(TypedDict):
    """The fields of a line of METRICS that are read."""

    step: NotRequired[Count]


@dataclass(frozen=True)
class TrainingRun:
    """One training run. `data` is the path of its data and `fingerprint` that of the mix it read there; `steps` are
    planned, `done` counts the updates known to be done; `checkpoints` has the steps of the existing ones. The first
    steps of a branch are those of other runs, which its `segments` name: it has learnt what they read."""

    folder: str
    data: str
    fingerprint: str
    rows: StepRows
    sequence_length: int | None
    steps: int
    done: int
    checkpoints: tuple[int, ...]
    segments: tuple[RunSegment, ...] = ()

    @cached_property
    def tokens(self) -> TokenData:
        """The mix that the training read, even if the run has been curated again since and has a newer mix.

        Raises InputError if the data is missing or inconsistent.
        """
        problem = f"{self.data} has no mix with the rows that {self.folder} read, in that order"
        try:
            mixes = [opened(folder) for folder in _mixes(self.data)]
        except InputError as error:
            mixes = [str(error)]
        for tokens in mixes:
            if isinstance(tokens, TokenData) and tokens.fingerprint() == self.fingerprint:
                return tokens
        causes = [cause for cause in mixes if isinstance(cause, str)]
        raise InputError(f"the data of {self.folder} cannot be read: {causes[0]}" if causes else problem)

    def seen_tokens(self, step: int) -> int:
        """Tokens of each row that the model sees in a step, as input or label; the rest of a row is cut off."""
        segment = segment_of(step, self.segments)
        own = self.sequence_length or self.tokens.sequence_length
        return (segment["sequence_length"] if segment else own) + 1

    def steps_of(self, pack: str, part: str, rows: Sequence[tuple[int, int]]) -> list[int]:
        """The run's steps, ascending from 0, whose global batch has one of the segments, given as (row, position) in
        the token shard `part` of the folder `pack`."""
        steps = set[int]()
        for row, position in rows:
            places = [place for place in positions(self.tokens, pack, part, row) if not self.rows.skips(place)]
            steps |= {step for step in map(self.rows.step_of, places) if position < self.seen_tokens(step)}
        return sorted(step for step in steps if step < self.steps)


def opened(mix: str) -> TokenData | str:
    try:
        return TokenData.open(mix)
    except InputError as error:
        return str(error)


def positions(data: TokenData, pack: str, part: str, row: int) -> list[int]:
    """The positions of a row in a mix; none if the mix does not take it. `pack` is the real path of the pack stage."""
    try:
        return data.positions(f"{_packs(data).get(pack)}/{part}", row)
    except UserError:
        return []


@lru_cache(maxsize=8)
def _packs(data: TokenData) -> dict[str, str]:
    """Real path of each pack -> its name in the mix."""
    names = dict.fromkeys(file.name.rpartition("/")[0] for file in data.row_files("train"))
    return {storage.real(storage.join(data.folder, name)): name for name in names}


def open_training(folder: str, *, data: str | None = None) -> TrainingRun:
    """`data` is where the data is now, if it was moved. Raises InputError if the folder is not a training run."""
    folder = storage.real(folder)
    none = f"{folder} is not a training run: it has no {CONFIG} written by `winnow train`"
    try:
        content = find_whole(storage.join(folder, CONFIG), TrainingRecord, WRITTEN)
    except InputError as error:
        raise InputError(f"{none}: {error}") from error
    if content is None:
        raise InputError(none)
    config = content["config"]
    result = find_whole(storage.join(folder, RESULT), ResultSteps, WRITTEN)
    checkpoints = _checkpoints(folder)
    segments = tuple(content["parent"]["segments"]) if "parent" in content else ()
    begun = segments[-1]["end"] if segments else 0
    done = max([begun, result["steps"] if result else 0, _last_step(folder), *checkpoints])
    return TrainingRun(
        folder=folder,
        data=storage.real(data or content["path"]),
        fingerprint=content["data"],
        rows=StepRows(
            config["batch_rows"],
            tuple((stage["steps"], stage["rows"]) for stage in config.get("batch_stages", ())),
            tuple((window.position, window.rows) for window in read_skipped(folder)),
        ),
        sequence_length=config.get("sequence_length"),
        steps=config["steps"],
        done=done,
        checkpoints=checkpoints,
        segments=segments,
    )


def trainings_on(run: str, more: Sequence[str] = ()) -> list[TrainingRun]:
    """Training runs that read data of the run: those of `more` with the parents of branches, as far as these are still
    there, then those in folders beside it, by name.

    If a training's data is no longer where it was read, the run takes its place: for trainings beside the run, only if
    a mix of the run has the same fingerprint. Raises InputError if one of `more` is not a training run.
    """
    run = storage.real(run)
    home = posixpath.dirname(run)
    named = [_here(open_training(folder), run) for folder in more]
    trainings = {training.folder: training for training in named}
    for parent in (segment["run"] for training in named for segment in training.segments):
        if parent not in trainings and storage.exists(storage.join(parent, CONFIG)):
            trainings[parent] = _here(open_training(parent), run)
    for name in storage.list_names(home):
        folder = storage.join(home, name)
        if folder not in trainings and name and storage.exists(storage.join(folder, CONFIG)):
            neighbour = _neighbour(folder, run)
            if neighbour is not None:
                trainings[folder] = neighbour
    return list(trainings.values())


def _neighbour(folder: str, run: str) -> TrainingRun | None:
    """The training in a folder beside the run; None if it does not read the run."""
    try:
        training = open_training(folder)
        if reads(training, run):
            return training
        moved = _here(training, run)
        return moved if moved.data != training.data and moved.tokens.rows else None
    except InputError:  # another program's config.json, or another run's data
        return None


def _here(training: TrainingRun, run: str) -> TrainingRun:
    """The training with `run` as its data if its own data no longer exists."""
    return training if storage.exists(training.data) else open_training(training.folder, data=run)


def reads(training: TrainingRun, run: str) -> bool:
    """Whether the training's data lies in the run, or is a mix that takes rows from it."""
    if training.data == run or training.data.startswith(f"{run}/"):
        return True
    try:
        mixes = _mixes(training.data)
    except InputError:
        return False
    return any(pack.startswith(f"{run}/") for mix in mixes for pack in packs_of_others(mix))


def packs_of_others(mix: str) -> list[str]:
    """Packs of other runs that a mix takes rows from; none if the mix is not finished."""
    try:
        packs = read_index(mix)["packs"]
    except InputError:
        return []
    return [storage.real(pack) for pack in packs if pack.startswith("/") or "://" in pack]


def _mixes(path: str) -> list[str]:
    """The mix at `path`, or the mixes of the run there, its current one first. Raises InputError if there is none."""
    if storage.exists(storage.join(path, INDEX)):
        return [path]
    folders = [storage.join(path, name) for name in storage.list_names(path)]
    mixes = [folder for folder in folders if storage.exists(storage.join(folder, INDEX))]
    try:
        own = mix_folder(path)
    except InputError:
        if not mixes:
            raise
        return mixes
    return [own, *(folder for folder in mixes if folder != own)]


def _checkpoints(folder: str) -> tuple[int, ...]:
    home = storage.join(folder, CHECKPOINTS)
    matches = [_CHECKPOINT.fullmatch(name) for name in storage.list_names(home)]
    steps = [int(match[1]) for match in matches if match and storage.exists(storage.join(home, match[0], MANIFEST))]
    return tuple(sorted(steps))


def _last_step(folder: str) -> int:
    """The last step in the metrics, 0 without metrics; skips a line that was cut short."""
    path = storage.join(folder, METRICS)
    last = 0
    for line in storage.read_bytes(path).splitlines() if storage.exists(path) else ():
        try:
            last = max(last, checked(parse_json(line), RecordStep).get("step", 0))
        except ValueError:
            continue
    return last
