"""Files that a stage loads: found before work starts, and known to its address by their content."""

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from curation.core import storage
from curation.core.protocols import Files, Source, UsesAssets
from curation.core.verbs import Verb


def substitute(part: Any, fitted: dict[str, str]) -> Any:
    """The part with every option `@name` replaced by the path of the asset that the fit stage of that name made."""
    found = {
        option: fitted[value[1:]]
        for option, value in vars(part).items()
        if isinstance(value, str) and value.startswith("@") and value[1:] in fitted
    }
    return dataclasses.replace(part, **found) if found else part


def located(part: Any) -> Any:
    """The part with given asset paths made absolute: a worker may stand in another folder than the driver.

    An option that only names an embedded asset stays as it is, for each node to find its own.
    """
    held = {option: {key: located(one) for key, one in getattr(part, option).items()} for option in holds(part)}
    if held:
        part = dataclasses.replace(part, **held)
    if not isinstance(part, UsesAssets):
        return part
    given = {
        option: _each(files, storage.absolute)
        for option, files in part.assets().items()
        if not isinstance(files, str) or getattr(part, option) == files
    }
    return dataclasses.replace(cast(Any, part), **given)


def _each(files: Files, change: Callable[[str], str]) -> Files:
    if isinstance(files, str):
        return change(files)
    if isinstance(files, tuple):
        return tuple(map(change, files))
    return {name: change(file) for name, file in files.items()}


def holds(part: Any) -> Mapping[str, Verb]:
    """Options of the part that hold other parts by key, each with their verb; most parts have none."""
    return cast(Mapping[str, Verb], getattr(part, "holds", {}))


def unfolded(parts: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Every part followed by those that it holds, which are called "<key>.<option>.<their key>"."""
    found: list[tuple[str, Any]] = []
    for key, part in parts:
        found.append((key, part))
        for option in holds(part):
            found += [(f"{key}.{option}.{name}", held) for name, held in getattr(part, option).items()]
    return tuple(found)


def pending(part: Any) -> bool:
    """True while an option names a fit stage whose asset is not there yet."""
    if isinstance(part, Source):
        return False  # a JSON-LD column may be called "@id"
    return any(isinstance(value, str) and value.startswith("@") for value in vars(part).values())


def hashes(parts: tuple[tuple[str, Any], ...]) -> dict[str, str]:
    """ "<key>.<option>" -> SHA-256 (hex) of the file's content; of several files "<key>.<option>.<number or name>".

    Raises InputError where one is missing.
    """
    found = {}
    for key, part in parts:
        if isinstance(part, UsesAssets):
            for option, files in sorted(part.assets().items()):
                for name, path in _named(f"{key}.{option}", files):
                    found[name] = hashlib.sha256(storage.read_bytes(path)).hexdigest()
    return found


def _named(prefix: str, files: Files) -> list[tuple[str, str]]:
    if isinstance(files, str):
        return [(prefix, files)]
    named = enumerate(files) if isinstance(files, tuple) else sorted(files.items())
    return [(f"{prefix}.{name}", file) for name, file in named]


def address_config(parts: tuple[tuple[str, Any], ...]) -> dict[str, dict[str, Any]]:
    """Every option by key, without those that only say where something lies: their content is hashed instead.

    Options that a part names in `added` came later. Left at their default they mean what was there before, and are not
    in the address, so that stages made before they existed are found again.
    """
    config = {}
    for key, part in parts:
        places = {"paths", *holds(part), *(part.assets() if isinstance(part, UsesAssets) else ())}
        places |= {name for name in getattr(part, "added", ()) if getattr(part, name) == getattr(type(part), name)}
        config[key] = {name: value for name, value in dataclasses.asdict(part).items() if name not in places}
    return config
