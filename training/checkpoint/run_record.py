"""What run an output folder belongs to, and its result: `config.json`, `result.json` and `failure.json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, cast

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import find_shape, read_shape, shaped
from curation.core.manifest import run_around
from curation.tokens.step_rows import SKIPPED, SkippedWindow
from training.checkpoint.manifest import complete_steps, folder_of
from training.checkpoint.run_shapes import RESTORE, BeginRecord, ResultFile, RunFile, RunFormat
from training.config.branches import ParentRecord, branch_command, what_helps
from training.config.components import DEFAULTS, MODEL
from training.config.layout import ProcessLayout
from training.config.parse import as_mapping, flat, key_of, parse
from training.config.run import LOGISTICS, TrainConfig
from training.ending import STOP

FORMAT = 5  # of config.json
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
    found = differences(read_run_file(output, "resume with the winnow that wrote it"), config, data)
    differing = [name for name in found if name.removeprefix("config.").partition(".")[0] not in LOGISTICS]
    if differing:
        listed = ", ".join(shown(name, found[name]) for name in differing)
        remedy = f"branch off: {branch_command(output)} starts a branch with it"
        if any(map(what_helps, differing)) or not complete_steps(output):
            remedy = "give another output"
        raise ValueError(f"{output} holds a run with other settings: {listed}; restore what it had, or {remedy}")


def differences(record: RunFile, config: TrainConfig, data: str) -> dict[str, list[Any]]:
    """Settings that differ between the run of a config.json and a config with the token data of a fingerprint, by their
    names with dots, and their two values. An option that the earlier run did not know had its default."""
    before = parse(record["config"], "config.json")
    now = _named(config, data)
    versions = {name: value for name, value in now.items() if name.startswith("versions.")}
    earlier = versions | _named(before, record["data"]) | flat(record["versions"], "versions.")
    own = tuple(f"config.{verb.name}.{key_of(config, verb)}." for verb in DEFAULTS)
    names = [*now, *(name for name in earlier if name not in now and name.startswith(own))]  # also what a mapping lost
    return {name: [earlier.get(name), now.get(name)] for name in names if earlier.get(name) != now.get(name)}


def shown(name: str, change: Sequence[Any]) -> str:
    """A difference for a message."""
    return f"{name} (was {change[0]}, now {change[1]})"


def claim(
    output: str, config: TrainConfig, data: str, path: str, *, more: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Writes config.json; called by one process. `data`: fingerprint of the token data; `path`: where it is now, which
    may differ when the run is resumed; `more`: `PreparedData.recorded`. When the run began first stays: takedowns after
    it concern what it has learnt, so a branch began when its parent did."""
    place = storage.join(output, "config.json")
    parent: ParentRecord | None = None if storage.exists(place) else more.get("parent")
    since = storage.join(parent["run"], "config.json") if parent else place
    now = datetime.now(UTC).isoformat(timespec="seconds")
    begun = read_shape(since, BeginRecord, RESTORE)["begun"] if storage.exists(since) else now
    if parent and parent["skipped"]:
        write_json(storage.join(output, SKIPPED), parent["skipped"])
    for left in (FAILURE, STOP):
        storage.delete_file(storage.join(output, left))
    facts = {"format": FORMAT, **_facts(config, data), "path": storage.absolute(path), **more, "begun": begun}
    write_json(place, facts)


def _facts(config: TrainConfig, data: str) -> dict[str, Any]:
    """What determines a run: its settings, the versions of its components by their keys, and its data."""
    versions = {key: component.version for key, component in _components(config)}
    facts: dict[str, Any] = {"config": as_mapping(config), "versions": versions, "data": data}
    return cast(dict[str, Any], json.loads(json.dumps(facts)))  # as it will be read: lists for tuples


def _named(config: TrainConfig, data: str) -> dict[str, Any]:
    """The facts by their names with dots, and the key of each component; of several the order, by which rows draw."""
    keys: dict[str, Any] = {f"config.{verb.name}": key_of(config, verb) for verb in DEFAULTS}
    for verb in DEFAULTS:
        own = getattr(config, verb.name)
        keys |= {f"config.{verb.name}.{name}": [*getattr(own, name)] for name in own.holds}
    return keys | flat(_facts(config, data))


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
    parent: ParentRecord | None = None,
) -> dict[str, Any]:
    """The record of where a run begins or goes on; `damaged` says which newer checkpoints were passed over, `skipped`
    which rows its steps leave out, `parent` where a branch without a checkpoint of its own begins."""
    every = (config.log_every, config.checkpoint_every)
    next_line = min(config.steps, *(done + steps - done % steps for steps in every))
    facts = {"step": done, "workers": layout.workers, "layout": layout._asdict(), "next_line": next_line}
    facts |= {"skipped": [window._asdict() for window in skipped]} if skipped else {}
    if parent:
        known = {name: parent[name] for name in ("run", "changes", "learning_rates")}
        return {"kind": "branch", **facts, "checkpoint": folder_of(parent["run"], done), **known}
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


def write_json(path: str, content: object) -> None:
    """Whole or not at all."""
    storage.replace_bytes(path, json.dumps(content, indent=2).encode() + b"\n")
