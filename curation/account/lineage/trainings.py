"""Training runs as their folders tell of them: which data they read, how far they came, and when they saw a row.

A training run's folder holds `config.json` (its settings, where its data is, and the fingerprint of that), checkpoints,
`metrics.jsonl`, and `result.json` once it is finished. Older ones name their data in `result.json` only.
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
    """One training run. `data` is where it read, None where it does not say, and `fingerprint` the one of what it read
    there, None of older ones; `steps` is what it was asked for, `done` how many updates it is known to have made;
    `checkpoints` are those that are there, by their step."""

    folder: str
    data: str | None
    fingerprint: str | None
    batch_rows: int
    sequence_length: int | None
    steps: int
    done: int
    checkpoints: tuple[int, ...]

    @cached_property
    def tokens(self) -> TokenData:
        """The mix that it read, also where its data has been curated again since and has another one by now.

        Raises InputError where the data is unknown, gone, or does not fit together.
        """
        if self.data is None:
            raise InputError(f"{self.folder} does not say where its data is (it has not finished); give it with --data")
        try:
            found = self._read()
        except InputError as error:
            raise InputError(f"the data of {self.folder} cannot be read: {error}") from error
        if found is None:
            raise InputError(f"{self.data} has no mix with the rows that {self.folder} read, or in another order")
        return found

    def _read(self) -> TokenData | None:
        """None where nothing there is what it read. Raises InputError where there is something that cannot be read."""
        problem: InputError | None = None
        for folder in _mixes(str(self.data)):
            try:
                found = TokenData.open(folder)
            except InputError as error:
                problem = problem or error
                continue
            if self.fingerprint in (None, found.fingerprint()):
                return found
        if problem:
            raise problem
        return None

    @property
    def seen_tokens(self) -> int:
        """Tokens of each row that the model sees, as input or as label: those behind are cut off."""
        return (self.sequence_length or self.tokens.sequence_length) + 1

    def steps_of(self, pack: str, part: str, rows: Sequence[tuple[int, int]]) -> list[int]:
        """Steps, ascending and counted from 0, in whose global batch one of the segments stands: (row, position) each,
        of a token shard in the folder `pack`. Steps behind the run's last are left out."""
        found: set[int] = set()
        for row, position in rows:
            if position < self.seen_tokens:
                found.update(place // self.batch_rows for place in self.positions(pack, part, row))
        return sorted(step for step in found if step < self.steps)

    def positions(self, pack: str, part: str, row: int) -> list[int]:
        """Positions of the data's mix that hold a row; none where it has nothing of this pack."""
        return positions(self.tokens, pack, part, row)


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
    found = read_json(storage.join(folder, CONFIG))
    found = found if isinstance(found, dict) else {}
    config = found.get("config")
    if not isinstance(config, dict) or not {"steps", "batch_rows"} <= config.keys():
        raise InputError(f"{folder} is no training run: it has no {CONFIG} that `winnow train` wrote")
    result = read_json(storage.join(folder, RESULT)) or {}
    said = data or found.get("path") or result.get("data")
    checkpoints = _checkpoints(folder)
    done = max([0, result.get("steps", 0), _last_step(folder), *checkpoints])
    return Training(
        folder=folder,
        data=None if said is None else storage.real(said),
        fingerprint=found.get("data") if "path" in found else None,  # it was another one before the path was noted
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
    given = {one.folder: one for one in named}
    for name in storage.list_names(home):
        folder = storage.join(home, name)
        if folder not in given and name and storage.exists(storage.join(folder, CONFIG)):
            found = _neighbour(folder, run)
            if found is not None:
                given[folder] = found
    return list(given.values())


def _neighbour(folder: str, run: str) -> Training | None:
    """None where it has nothing to do with the run."""
    try:
        found = open_training(folder)
        if reads(found, run):
            return found
        moved = _here(found, run)
        known = moved.data != found.data and found.fingerprint is not None
        return moved if known and moved.tokens.rows else None
    except InputError:  # some other program's config.json, or data of another run
        return None


def _here(training: Training, run: str) -> Training:
    """The same on the data of `run`, where its own is nowhere any more."""
    gone = training.data is None or not storage.exists(training.data)
    return open_training(training.folder, data=run) if gone else training


def reads(training: Training, run: str) -> bool:
    """True where the training's data lies in the run, or is a mix that takes rows from it."""
    if training.data is None:
        return False
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
    """The mix at `path`, or those in the run there: its own first, then those that it has no more.

    Raises InputError where there is none.
    """
    if storage.exists(storage.join(path, INDEX)):
        return [path]
    folders = [storage.join(path, name) for name in storage.list_names(path)]
    found = [one for one in folders if storage.exists(storage.join(one, INDEX))]
    try:
        own = mix_folder(path)
    except InputError:
        if not found:
            raise
        return found
    return [own, *(one for one in found if one != own)]


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
