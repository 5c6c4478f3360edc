"""Training runs as their folders describe them: which data they read, how far they came, and when they saw a row.

A training run's folder holds `config.json` (its settings, where its data is, and the fingerprint of that), checkpoints,
`metrics.jsonl`, and `result.json` once it is finished.
"""

import json
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.manifest import MANIFEST, read_json
from curation.tokens.manifests import INDEX, mix_folder, read_index
from curation.tokens.shards import TokenData

CONFIG, RESULT, METRICS, CHECKPOINTS = "config.json", "result.json", "metrics.jsonl", "checkpoints"
_CHECKPOINT = re.compile(r"step_(\d+)")


@dataclass(frozen=True)
class Training:
    """One training run. `data` is where it read and `fingerprint` that of what it read there; `steps` is what it was
    asked for, `done` how many updates it is known to have made; `checkpoints` are those that are there, by their step.
    """

    folder: str
    data: str
    fingerprint: str
    batch_rows: int
    sequence_length: int | None
    steps: int
    done: int
    checkpoints: tuple[int, ...]

    @cached_property
    def tokens(self) -> TokenData:
        """The mix that it read, also where its data has been curated again since and has another one by now.

        Raises InputError where the data is gone, or does not fit together.
        """
        problem = f"{self.data} has no mix with the rows that {self.folder} read, or in another order"
        try:
            mixes = [opened(folder) for folder in _mixes(self.data)]
        except InputError as error:
            mixes = [str(error)]
        for tokens in mixes:
            if isinstance(tokens, TokenData) and tokens.fingerprint() == self.fingerprint:
                return tokens
        causes = [cause for cause in mixes if isinstance(cause, str)]
        raise InputError(f"the data of {self.folder} cannot be read: {causes[0]}" if causes else problem)

    @property
    def seen_tokens(self) -> int:
        """Tokens of each row that the model sees, as input or as label: those behind are cut off."""
        return (self.sequence_length or self.tokens.sequence_length) + 1

    def steps_of(self, pack: str, part: str, rows: Sequence[tuple[int, int]]) -> list[int]:
        """Steps, ascending and counted from 0, in whose global batch one of the segments stands: (row, position) each,
        of a token shard in the folder `pack`. Steps behind the run's last are left out."""
        seen = [row for row, position in rows if position < self.seen_tokens]
        steps = {place // self.batch_rows for row in seen for place in positions(self.tokens, pack, part, row)}
        return sorted(step for step in steps if step < self.steps)


def opened(mix: str) -> TokenData | str:
    """A mix by its folder, or why it cannot be opened."""
    try:
        return TokenData.open(mix)
    except InputError as error:
        return str(error)


def positions(data: TokenData, pack: str, part: str, row: int) -> list[int]:
    """Positions of a mix that hold a row of the pack at `pack`, its real path; none where it takes nothing of it."""
    try:
        return data.positions(f"{_packs(data).get(pack)}/{part}", row)
    except UserError:
        return []


@lru_cache(maxsize=8)
def _packs(data: TokenData) -> dict[str, str]:
    """What a mix calls its packs, by their real paths."""
    names = dict.fromkeys(file.name.rpartition("/")[0] for file in data.row_files("train"))
    return {storage.real(storage.join(data.folder, name)): name for name in names}


def open_training(folder: str, *, data: str | None = None) -> Training:
    """`data`: where the data is now, where it is no longer where the run read it.

    Raises InputError where the folder is no training run.
    """
    folder = storage.real(folder)
    content = read_json(storage.join(folder, CONFIG))
    content = content if isinstance(content, dict) else {}
    config = content.get("config")
    named = isinstance(content.get("path"), str) and isinstance(content.get("data"), str)
    if not named or not isinstance(config, dict) or not {"steps", "batch_rows"} <= config.keys():
        raise InputError(f"{folder} is no training run: it has no {CONFIG} that `winnow train` wrote")
    result = read_json(storage.join(folder, RESULT)) or {}
    checkpoints = _checkpoints(folder)
    done = max([0, result.get("steps", 0), _last_step(folder), *checkpoints])
    return Training(
        folder=folder,
        data=storage.real(data or content["path"]),
        fingerprint=content["data"],
        batch_rows=config["batch_rows"],
        sequence_length=config.get("sequence_length"),
        steps=config["steps"],
        done=done,
        checkpoints=checkpoints,
    )


def trainings_on(run: str, more: Sequence[str] = ()) -> list[Training]:
    """Training runs that read data of the run: those of `more`, and those in folders beside it, by name. Data that
    is no longer where it was read may be the run's: of those beside it, where the fingerprint is that of a mix here.

    Raises InputError for one of `more` that is no training run.
    """
    run = storage.real(run)
    home = posixpath.dirname(run)
    named = [_here(open_training(one), run) for one in more]
    trainings = {training.folder: training for training in named}
    for name in storage.list_names(home):
        folder = storage.join(home, name)
        if folder not in trainings and name and storage.exists(storage.join(folder, CONFIG)):
            neighbour = _neighbour(folder, run)
            if neighbour is not None:
                trainings[folder] = neighbour
    return list(trainings.values())


def _neighbour(folder: str, run: str) -> Training | None:
    """None where it has nothing to do with the run."""
    try:
        training = open_training(folder)
        if reads(training, run):
            return training
        moved = _here(training, run)
        return moved if moved.data != training.data and moved.tokens.rows else None
    except InputError:  # some other program's config.json, or data of another run
        return None


def _here(training: Training, run: str) -> Training:
    """The same on the data of `run`, where its own is nowhere any more."""
    return training if storage.exists(training.data) else open_training(training.folder, data=run)


def reads(training: Training, run: str) -> bool:
    """True where the training's data lies in the run, or is a mix that takes rows from it."""
    if training.data == run or training.data.startswith(f"{run}/"):
        return True
    try:
        mixes = _mixes(training.data)
    except InputError:
        return False
    return any(pack.startswith(f"{run}/") for mix in mixes for pack in packs_of_others(mix))


def packs_of_others(mix: str) -> list[str]:
    """Packs of other runs that a mix takes rows from; none where it is not finished."""
    try:
        packs = read_index(mix)["packs"]
    except InputError:
        return []
    return [storage.real(pack) for pack in packs if pack.startswith("/") or "://" in pack]


def _mixes(path: str) -> list[str]:
    """The mix at `path`, or those in the run there: its own first, then those that earlier recipes left.

    Raises InputError where there is none.
    """
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
    """The last step of the metrics, 0 where there are none; a line that was cut short is passed over."""
    path = storage.join(folder, METRICS)
    last = 0
    for line in storage.read_bytes(path).splitlines() if storage.exists(path) else ():
        try:
            record: dict[str, Any] = json.loads(line)
        except ValueError:
            continue
        last = max(last, record.get("step", 0))
    return last
