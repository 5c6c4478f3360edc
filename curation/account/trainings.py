"""Training runs as their folders tell of them: which data they read, how far they came, and when they saw a row.

A training run's folder holds `config.json` (its settings, and where its data is), `metrics.jsonl`, checkpoints, and
`result.json` once it is finished. Older ones name their data in `result.json` only.
"""

import json
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.manifest import MANIFEST, read_json
from curation.tokens.manifests import mix_folder, read_index
from curation.tokens.shards import TokenData

CONFIG, RESULT, METRICS, CHECKPOINTS = "config.json", "result.json", "metrics.jsonl", "checkpoints"
_CHECKPOINT = re.compile(r"step_(\d+)")


@dataclass(frozen=True)
class Training:
    """One training run. `data` is where it read, None where it does not say; `steps` is what it was asked for, `done`
    how many updates it is known to have made; `checkpoints` are those that are there, by their step."""

    folder: str
    data: str | None
    batch_rows: int
    sequence_length: int | None
    steps: int
    done: int
    checkpoints: tuple[int, ...]

    @cached_property
    def tokens(self) -> TokenData:
        """Raises InputError where the data is unknown, gone, or does not fit together."""
        if self.data is None:
            raise InputError(f"{self.folder} does not say where its data is (it has not finished); give it with --data")
        try:
            return TokenData.open(self.data)
        except InputError as error:
            raise InputError(f"the data of {self.folder} cannot be read: {error}") from error

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
    """Positions of a mix that hold a row of the pack at the absolute path `pack`; none where it takes nothing of it."""
    home, _, name = pack.rpartition("/")
    file = f"{name if home == data.folder.rstrip('/') else pack}/{part}"
    try:
        return data.positions(file, row)
    except UserError:
        return []


def open_training(folder: str, *, data: str | None = None) -> Training:
    """`data`: where the data is now, where it is no longer where the run read it.

    Raises InputError where the folder is no training run.
    """
    folder = storage.absolute(folder).rstrip("/")
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
        data=None if said is None else storage.absolute(said).rstrip("/"),
        batch_rows=config["batch_rows"],
        sequence_length=config.get("sequence_length"),
        steps=config["steps"],
        done=done,
        checkpoints=checkpoints,
    )


def trainings_on(run: str, more: Sequence[str] = ()) -> list[Training]:
    """Training runs that read data of the run: those of `more`, and those in folders beside the run's, by name. One of
    `more` that does not say where its data is counts as one on this run's last mix.

    Raises InputError for one of `more` that is no training run.
    """
    run = storage.absolute(run).rstrip("/")
    home = posixpath.dirname(run)
    named = [open_training(one) for one in more]
    given = {one.folder: one if one.data else open_training(one.folder, data=run) for one in named}
    for name in storage.list_names(home):
        folder = storage.join(home, name)
        if folder not in given and name and storage.exists(storage.join(folder, CONFIG)):
            try:
                found = open_training(folder)
            except InputError:
                continue  # some other program's config.json
            if reads(found, run):
                given[folder] = found
    return list(given.values())


def reads(training: Training, run: str) -> bool:
    """True where the training's data lies in the run, or is a mix that takes rows from it."""
    if training.data is None:
        return False
    if training.data == run or training.data.startswith(f"{run}/"):
        return True
    try:
        return any(pack.startswith(f"{run}/") for pack in read_index(mix_folder(training.data))["packs"])
    except InputError:
        return False


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
