"""Files that a stage loads: found before any work, and part of its address by their content."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from curation.core import storage
from curation.core.asset_files import hashed_files
from curation.core.component import Component, Components, Files
from curation.core.credentials import masked_values
from curation.core.manifest import read_manifest
from curation.core.protocols import Source
from curation.core.storage_options import Secret
from curation.engine.recipe.bounds import Bound

T = TypeVar("T", bound=Component)


def fits_named(component: Component) -> dict[tuple[str, ...], str]:
    """Path of an option, its name or its name and a key, -> name of the fit stage whose asset it stands for, of the
    options `@name` and `{key: "@name"}`."""
    if isinstance(component, Source):
        return {}  # a JSON-LD column may be called "@id"
    named: dict[tuple[str, ...], str] = {}
    for option, value in vars(component).items():
        values = (
            {(option, key): one for key, one in value.items()} if isinstance(value, Mapping) else {(option,): value}
        )
        named |= {at: one[1:] for at, one in values.items() if isinstance(one, str) and one.startswith("@")}
    return named


def fits_used(components: Components, bounds: Iterable[Bound]) -> set[str]:
    """Names of the fit stages that options of the components or their limits name."""
    options = {name for _, component in components for name in fits_named(component).values()}
    return options | {bound.fit for bound in bounds}


def substitute(component: T, fitted: Mapping[str, str]) -> T:
    """The component with the path of the fit stage's asset for every `@name`."""
    changed: dict[str, Any] = {}
    for (option, *keys), name in fits_named(component).items():
        if name in fitted:
            now = changed.get(option, vars(component)[option])
            changed[option] = {**now, keys[0]: fitted[name]} if keys else fitted[name]
    return dataclasses.replace(component, **changed) if changed else component


def files_beside(components: Components, fitted: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By name of a fit stage that options name: the SHA-256 (hex) of each file, where its asset has several."""
    names = {name for _, component in components for name in fits_named(component).values() if name in fitted}
    manifests = {name: read_manifest(fitted[name].rpartition("/")[0]) for name in sorted(names)}
    assets = {name: manifest.asset or {} for name, manifest in manifests.items() if manifest is not None}
    return {name: asset["files"] for name, asset in assets.items() if "files" in asset}


def located(component: T) -> T:
    """The component with its asset paths made absolute, because a worker may run in another folder than the driver.

    An option that only names an embedded asset stays as it is; each node finds its own.
    """
    changed: dict[str, Any] = {
        option: {key: located(inner) for key, inner in components.items()}
        for option, components in held(component).items()
    }
    changed |= {
        option: _each(files, storage.absolute)
        for option, files in component.assets().items()
        if not isinstance(files, str) or vars(component)[option] == files
    }
    return dataclasses.replace(component, **changed) if changed else component


def _each(files: Files, change: Callable[[str], str]) -> Files:
    if isinstance(files, str):
        return change(files)
    if isinstance(files, tuple):
        return tuple(map(change, files))
    return {name: change(file) for name, file in files.items()}


def held(component: Component) -> dict[str, Mapping[str, Component]]:
    """Option -> the components that it holds, by key; most components hold none."""
    return {name: vars(component)[name] for name in component.holds}


def unfolded(components: Components) -> Components:
    """Every component followed by those that it holds, which are called "<key>.<option>.<their key>"."""
    every: list[tuple[str, Component]] = []
    for key, component in components:
        every.append((key, component))
        every += [
            (f"{key}.{option}.{name}", inner)
            for option, by_name in held(component).items()
            for name, inner in by_name.items()
        ]
    return tuple(every)


def hashes(components: Components) -> dict[str, str]:
    """ "<key>.<option>" -> SHA-256 (hex) of the file's content; of several files "<key>.<option>.<number or name>".

    Raises InputError where one is missing.
    """
    files = (file for key, component in components for file in hashed_files(key, component))
    return {name: digest for name, _, digest in files}


def address_config(components: Components) -> dict[str, dict[str, object]]:
    """Every option by key, without paths, whose content is hashed instead, without the places of secrets, and without
    options that were added later and have their default. Credentials in URIs are masked."""
    config = {}
    for key, component in components:
        left_out = {"paths", *held(component), *component.assets()}
        defaults = {option.name: option.default for option in dataclasses.fields(component)}
        left_out |= {name for name in component.added if vars(component)[name] == defaults[name]}
        left_out |= {name for name, value in vars(component).items() if isinstance(value, Secret)}
        options = dataclasses.asdict(component).items()
        config[key] = {name: masked_values(value) for name, value in options if name not in left_out}
    return config
