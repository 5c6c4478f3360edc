"""Takedowns that forbid a release: of documents that a training has learnt, or one whose weights it began with."""

from collections.abc import Iterator
from typing import Any

from curation.account.lineage.trainings import CONFIG, open_training
from curation.account.sealed.run_folder import RunFolder
from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import find_shape, read_shape
from curation.tokens.shards import TokenData
from training.checkpoint.manifest import CHECKPOINTS
from training.checkpoint.run_shapes import RESTORE, BeginRecord, InitRecord


def refuse_taken_down(training: str, data: TokenData) -> None:
    """Raises InputError if a takedown has changed rows of the data since the training began, or of the data of one
    whose weights it began with. `data`: its own, where they are now; where they were is asked too, since a copy knows
    nothing of later takedowns."""
    _refuse(training, data)
    for learnt in (training, *_before(training)):
        if (tokens := _data_of(learnt)) is not None:
            _refuse(learnt, tokens)


def origin(training: str) -> dict[str, Any] | None:
    """The name of the `weights` that a training began with, and whether the data behind them are all `known`, so that
    takedowns of them were looked for. None if it began with none."""
    if (init := _init(training)) is None:
        return None
    before = list(_before(training))
    known = bool(before) and _init(before[-1]) is None and all(map(_data_of, before))
    return {"weights": _folder(init).rpartition("/")[2], "known": known}


def _before(training: str) -> Iterator[str]:
    """The trainings whose weights it began with, the latest first, as far as they are still there. A branch began with
    its parent's."""
    seen = {training}
    while weights := _parent(training) or _init(training):
        training = _folder(weights)
        if training in seen or not _is_training(training):
            return
        seen.add(training)
        yield training


def _parent(training: str) -> str | None:
    """The training of which this one is a branch, if it is still there; the branch has the same data."""
    record = read_shape(storage.join(training, CONFIG), InitRecord, RESTORE)
    return record["parent"]["run"] if "parent" in record and _is_training(record["parent"]["run"]) else None


def _init(training: str) -> str | None:
    return read_shape(storage.join(training, CONFIG), InitRecord, RESTORE)["config"].get("init")


def _folder(weights: str) -> str:
    """Of the training that they are of, or that they lie in as they are."""
    return storage.absolute(weights).rstrip("/").partition(f"/{CHECKPOINTS}/")[0]


def _data_of(training: str) -> TokenData | None:
    """Where they were when it was trained; None if they are there no more."""
    try:
        return open_training(training).tokens
    except InputError:
        return None


def _is_training(folder: str) -> bool:
    return "begun" in (find_shape(storage.join(folder, CONFIG), dict[str, object], RESTORE) or {})


def _refuse(training: str, data: TokenData) -> None:
    begun = read_shape(storage.join(training, CONFIG), BeginRecord, RESTORE)["begun"]
    names = {file.name.rpartition("/")[0] for file in data.row_files("train")}
    for pack in sorted({storage.real(storage.join(data.folder, name)) for name in names}):
        home, _, name = pack.rpartition("/")
        for entry in RunFolder.open(home).record.takedowns:
            if entry["when"] >= begun and (not entry["finished"] or name in entry["stages"]):
                raise InputError(
                    f"documents of {home} were taken down at {entry['when']}, after {training} had begun to learn "
                    "them: train again on the run as it is now, with another --output, and release that"
                )
