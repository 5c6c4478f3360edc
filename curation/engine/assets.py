"""Files that a stage loads: found before work starts, and known to its address by their content."""

import dataclasses
import hashlib
from typing import Any, cast

from curation.core import storage
from curation.core.stage import UsesAssets


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
    if not isinstance(part, UsesAssets):
        return part
    given = {option: storage.absolute(p) for option, p in part.assets().items() if getattr(part, option) == p}
    return dataclasses.replace(cast(Any, part), **given)


def pending(part: Any) -> bool:
    """True while an option names a fit stage whose asset is not there yet."""
    return any(isinstance(value, str) and value.startswith("@") for value in vars(part).values())


def hashes(parts: tuple[tuple[str, Any], ...]) -> dict[str, str]:
    """ "<key>.<option>" -> SHA-256 (hex) of the file's content. Raises InputError where one is missing."""
    found = {}
    for key, part in parts:
        if isinstance(part, UsesAssets):
            for option, path in sorted(part.assets().items()):
                found[f"{key}.{option}"] = hashlib.sha256(storage.read_bytes(path)).hexdigest()
    return found


def address_config(parts: tuple[tuple[str, Any], ...]) -> dict[str, dict[str, Any]]:
    """Every option by key, without those that only say where something lies: their content is hashed instead."""
    config = {}
    for key, part in parts:
        places = {"paths", *(part.assets() if isinstance(part, UsesAssets) else ())}
        config[key] = {name: value for name, value in dataclasses.asdict(part).items() if name not in places}
    return config
