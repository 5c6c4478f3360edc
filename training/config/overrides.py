"""Options of a training config that a command line gives: names with dots between them, and a value in YAML.

    optimizer.learning_rate=3e-4 objective=span_corruption parallel.zero=2

`objective=span_corruption` names another component, with its default options. The key of a component may be left out:
`optimizer.learning_rate` is of whichever optimizer the config or another override names. Their order does not matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.core.errors import RecipeError
from curation.core.settings import Path, YamlFile, load_yaml
from training.config.components import DEFAULTS


@dataclass(frozen=True)
class FileWithOverrides(YamlFile):
    """A config whose mistakes are told with the override that they stand in, else with file, line and all overrides."""

    overrides: dict[Path, str]  # where one is in `data` -> as it was written, the longest last

    def error(self, path: Path, message: str, option: str = "") -> RecipeError:
        place = (*path, option) if option else path
        for at, written in reversed(self.overrides.items()):
            if place[: len(at)] == at or (not option and path and at[: len(path)] == path):
                return RecipeError(f"{written}: {message}")
        return super().error(path, f"{message} (with {' '.join(self.overrides.values())})", option)


def with_overrides(file: YamlFile, overrides: Sequence[str]) -> YamlFile:
    """The file with each NAME=VALUE in its data. Raises RecipeError for what has no such form, and for an option that
    is given twice; names and values are checked as those of the file."""
    if not overrides:
        return file
    data = file.data
    places: dict[Path, str] = {}
    # What names a component comes before what changes its options.
    for names, value, written in sorted(map(_parts, overrides), key=lambda parts: len(parts[0])):
        path = _with_key(names, data)
        if path in places:
            raise RecipeError(f"{written}: {places[path]} is given too; leave one out")
        places[path] = written
        data = _put(data, path, value)
    return FileWithOverrides(file.name, data, file.lines, places)


def _parts(written: str) -> tuple[tuple[str, ...], Any, str]:
    name, mark, value = written.partition("=")
    names = tuple(name.split("."))
    if not mark or not all(names):
        raise RecipeError(f"{written!r}: expected NAME=VALUE, such as optimizer.learning_rate=3e-4")
    return names, load_yaml(f"value: {value}", written).data["value"], written


def _with_key(names: tuple[str, ...], data: Mapping[str, Any]) -> tuple[str, ...]:
    """The names, with the key of a component where they leave it out."""
    verb = next((verb for verb in DEFAULTS if verb.name == names[0]), None)
    if verb is None or len(names) == 1:
        return names
    named = data.get(verb.name) or DEFAULTS[verb]
    key = str(next(iter(named)) if isinstance(named, Mapping) else named)
    return names if names[1] == key else (names[0], key, *names[1:])


def _put(data: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = path
    if not rest:
        return {**data, first: value}
    inner = data.get(first)
    return {**data, first: _put(inner if isinstance(inner, Mapping) else {}, tuple(rest), value)}
