"""Reads the settings of a training run from YAML or nested mappings, and writes them as such.

    optimizer: {adamw: {learning_rate: 3e-4}}

A component is named by its key, below which its options stand; the other settings are plain values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from curation.core import catalog
from curation.core.errors import UserError
from curation.core.settings import Path, YamlFile, build, load_yaml
from curation.core.verbs import Verb
from training.config.components import DEFAULTS
from training.config.overrides import with_overrides
from training.config.run import Job, TrainConfig


def load(text: str, name: str, overrides: Sequence[str] = ()) -> TrainConfig:
    """YAML, with NAME=VALUE of a command line, -> TrainConfig. Raises RecipeError with the override, or with file and
    line, and what was expected."""
    return _config(with_overrides(load_yaml(text, name), overrides))


def parse(values: Mapping[str, Any], name: str = "training config", overrides: Sequence[str] = ()) -> TrainConfig:
    """Nested mappings, such as `as_mapping` gives, -> TrainConfig. Raises RecipeError naming the option."""
    return _config(with_overrides(YamlFile(name, values, {}), overrides))


def load_job(text: str, name: str) -> Job:
    """YAML or JSON -> Job. Raises RecipeError like `load`."""
    file = load_yaml(text, name)
    at = ("train",)
    values = file.data.get("train")
    job = build(Job, file, (), {**file.data, "train": _plain(values)} if values is not None else file.data)
    return replace(job, train=_with_components(file, at, job.train, values))


def as_mapping(config: TrainConfig) -> dict[str, Any]:
    """What `parse` reads as this config, in values that JSON has."""
    values = asdict(config)
    for verb in DEFAULTS:
        values[verb.name] = {key_of(config, verb): values[verb.name]}
    return values


def flat(values: Mapping[str, Any], under: str = "", *, mark: str = ".") -> dict[str, Any]:
    """Values within mappings by their names behind one another, as "config.optimizer.adamw.beta1"."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        inside = isinstance(value, Mapping)
        found |= flat(value, f"{under}{name}{mark}", mark=mark) if inside else {f"{under}{name}": value}
    return found


def key_of(config: TrainConfig, verb: Verb) -> str:
    """The key by which the config names its component of a verb."""
    return catalog.key_of(type(getattr(config, verb.name)))


def _config(file: YamlFile) -> TrainConfig:
    return _with_components(file, (), build(TrainConfig, file, (), _plain(file.data)), file.data)


def _plain(values: Any) -> Any:
    """The values without those of components; what is no mapping is left to `build`, which refuses it."""
    named = {verb.name for verb in DEFAULTS}
    return {key: value for key, value in values.items() if key not in named} if isinstance(values, Mapping) else values


def _with_components(file: YamlFile, path: Path, config: TrainConfig, values: Mapping[str, Any]) -> TrainConfig:
    """The config with the components that the mapping at `path` names."""
    named = [verb for verb in DEFAULTS if verb.name in values]
    config = replace(
        config, **{verb.name: _component(file, (*path, verb.name), verb, values[verb.name]) for verb in named}
    )
    try:
        config.schedule.check(config.steps)
    except ValueError as error:
        at = (*path, "schedule", catalog.key_of(type(config.schedule)))
        raise file.error(at, str(error), str(error).partition(" ")[0]) from error
    return config


def _component(file: YamlFile, path: Path, verb: Verb, value: object) -> Any:
    by_key = {value: {}} if isinstance(value, str) else value
    own = {option.name for option in fields(catalog.find(verb, DEFAULTS[verb]))}
    if not isinstance(by_key, Mapping) or not by_key or own & by_key.keys():
        options = ", ".join(f"{option}: …" for option in by_key) if isinstance(by_key, Mapping) and by_key else "…"
        raise file.error(
            path,
            f"expected the key of one {verb} with its options below it: write `{verb}: {{{DEFAULTS[verb]}: "
            f"{{{options}}}}}`; keys: {', '.join(catalog.known(verb))}",
        )
    if len(by_key) != 1:
        raise file.error(path, f"a training has one {verb}, got {', '.join(map(str, by_key))}")
    ((key, options),) = by_key.items()
    at = (*path, key)
    try:
        kind: type[Any] = catalog.find(verb, str(key))
    except UserError as error:
        raise file.error(at, str(error)) from error
    given = options if isinstance(options, Mapping) else {}
    held = {name: _held(file, (*at, name), of, given[name]) for name, of in kind.holds.items() if name in given}
    if not held:
        return build(kind, file, at, options)
    plain: Any = build(kind, file, at, {name: value for name, value in given.items() if name not in held})
    try:
        return replace(plain, **held)
    except ValueError as error:
        raise file.error(at, str(error), str(error).partition(" ")[0]) from error


def _held(file: YamlFile, path: Path, verb: Verb, value: object) -> dict[str, Any]:
    """The components by key of an option of a component."""
    if not isinstance(value, Mapping):
        raise file.error(path, f"expected `key: {{options}}` lines; keys: {', '.join(catalog.known(verb))}")
    return {str(key): _component(file, path, verb, {key: options}) for key, options in value.items()}
