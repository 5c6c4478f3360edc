"""What run an output folder belongs to, and its result: `config.json`, `result.json` and `failure.json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, cast

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import find_shape, read_shape, shaped
from curation.core.manifest import run_around
from curation.tokens.step_rows import SkippedWindow
from training.checkpoint.manifest import folder_of
from training.checkpoint.run_shapes import RESTORE, BeginRecord, ResultFile, RunFile, RunFormat
from training.config.components import DEFAULTS, MODEL
from training.config.layout import ProcessLayout
from training.config.parse import as_mapping, key_of, parse
from training.config.run import LOGISTICS, TrainConfig
from training.ending import STOP

FORMAT = 4  # of config.json
FAILURE = "failure.json"


def refuse_other_run(output: str, config: TrainConfig, data: str) -> None:
    """Raises ValueError if `output` holds a run with other settings, or other versions of its components, and names
    them; LOGISTICS may differ. Also if it was written in another format, or lies in a run of `curate`, whose folder
    holds that run's stages and nothing else.

    `data` is the fingerprint of the token data.
    """
    if run := run_around(output):
        raise ValueError(f"{output} lies in the run {run}, which holds its stages only; give an output of its own")
    path = storage.join(output, "config.json")
    if not storage.exists(path):
        return
    record = cast(dict[str, Any], read_run_file(output, "resume with the winnow that wrote it"))
    # An option that the earlier run did not know had its default.
    earlier = _flat(_facts(_plainest(config), data)) | _flat(record)
    differing = [
        f"{name} (was {earlier.get(name)}, now {value})"
        for name, value in _flat(_facts(config, data)).items()
        if earlier.get(name) != value and name.removeprefix("config.").partition(".")[0] not in LOGISTICS
    ]
    if differing:
        raise ValueError(
            f"{output} holds a run with other settings: {', '.join(differing)}; restore them, or give another output"
        )


def claim(
    output: str,
    config: TrainConfig,
    data: str,
    path: str,
    appended: tuple[str, ...] = (),
    around: Mapping[str, int | None] = MappingProxyType({}),
    tokenizer: str = "",
) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed; `appended`: contents of the tokens that the objective has beyond the
    tokenizer's; `around`: ids of `begin_of_text` and `end_of_text` of its documents; `tokenizer`: its
    identity (see `curation.core.token_ids`). When the run began first stays:
    takedowns after it concern what it has learnt."""
    place = storage.join(output, "config.json")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    begun = read_shape(place, BeginRecord, RESTORE)["begun"] if storage.exists(place) else now
    facts = {"format": FORMAT, **_facts(config, data), "path": storage.absolute(path), "appended": appended}
    facts |= {"around_documents": {**around}} if around else {}
    facts |= {"tokenizer": tokenizer} if tokenizer else {}
    for left in (FAILURE, STOP):
        storage.delete_file(storage.join(output, left))
    write_json(place, {**facts, "begun": begun})


def _facts(config: TrainConfig, data: str) -> dict[str, Any]:
    """What determines a run: its settings, the versions of its components by their keys, and its data."""
    versions = {key: component.version for key, component in _components(config)}
    facts: dict[str, Any] = {"config": as_mapping(config), "versions": versions, "data": data}
    return cast(dict[str, Any], json.loads(json.dumps(facts)))  # as it will be read: lists for tuples


def _plainest(config: TrainConfig) -> TrainConfig:
    """The same components, with the default of every option that has one."""
    return TrainConfig(**{verb.name: _plain(getattr(config, verb.name)) for verb in DEFAULTS})


def _plain(own: Any) -> Any:
    needed = {option.name for option in fields(own) if option.default is MISSING is option.default_factory}
    values = {name: getattr(own, name) for name in needed}
    held = {name: {key: _plain(one) for key, one in getattr(own, name).items()} for name in own.holds}
    return type(own)(**values | held)


def _components(config: TrainConfig) -> Iterator[tuple[str, Any]]:
    """All by their keys, with those that others hold."""
    waiting = [(key_of(config, verb), getattr(config, verb.name)) for verb in DEFAULTS]
    while waiting:
        key, own = waiting.pop()
        yield key, own
        waiting += [one for name in own.holds for one in getattr(own, name).items()]


def beginning(
    config: TrainConfig,
    output: str,
    done: int,
    layout: ProcessLayout,
    damaged: tuple[str, ...],
    skipped: Sequence[SkippedWindow] = (),
) -> dict[str, Any]:
    """The record of where a run begins or goes on; `damaged` says which newer checkpoints were passed over, `skipped`
    which rows its steps leave out."""
    every = (config.log_every, config.checkpoint_every)
    next_line = min(config.steps, *(done + steps - done % steps for steps in every))
    facts = {"step": done, "workers": layout.workers, "layout": layout._asdict(), "next_line": next_line}
    facts |= {"skipped": [window._asdict() for window in skipped]} if skipped else {}
    if not done:
        return {"kind": "start", **facts}
    return {"kind": "resume", **facts, "checkpoint": folder_of(output, done), "damaged": list(damaged)}


def write_failure(output: str, problem: str) -> None:
    """Writes failure.json: what all processes agreed on ends a run until somebody changes something."""
    write_json(storage.join(output, FAILURE), {"problem": problem})


def finished(output: str) -> dict[str, Any] | None:
    """The content of result.json, or None if there is none yet. Raises InputError if it is damaged."""
    return cast(dict[str, Any] | None, find_shape(storage.join(output, "result.json"), ResultFile, RESTORE))


def read_run_file(output: str, remedy: str = "use the winnow that wrote it") -> RunFile:
    """The content of config.json. Raises InputError if there is none, if it is damaged, or for another format."""
    path = storage.join(output, "config.json")
    found = read_shape(path, RunFormat, RESTORE)
    if (written := found.get("format", 1)) != FORMAT:
        raise InputError(
            f"{path} has format {written}, this winnow reads {FORMAT}; {remedy}, or give another output to begin again"
        )
    return shaped(found, RunFile, path, RESTORE)


def recorded_config(folder: str) -> TrainConfig:
    """The config of a training as it was resolved from its data. Raises InputError if it is damaged, or was trained by
    another version of its model."""
    path = storage.join(folder, "config.json")
    record = read_run_file(folder)
    config = parse(record["config"], path)
    if not config.model.vocabulary:
        raise InputError(f"{path} is damaged: its model has no vocabulary; {RESTORE}")
    key = key_of(config, MODEL)
    if (version := record["versions"].get(key)) != config.model.version:
        raise InputError(
            f"{folder} was trained by version {version} of {key}, this winnow has {config.model.version}; use the "
            "winnow that trained it"
        )
    return config


def write_json(path: str, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    storage.replace_bytes(path, json.dumps(content, indent=2).encode() + b"\n")


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return flat
