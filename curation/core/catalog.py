"""Finds the component that a key of a recipe or a training config names. Key = module = class, so a new file needs no
registration; a component of several files is a package, with the class in its `__init__`.

Installed packages add components by the entry-point group `winnow.components`, under their key:

    [project.entry-points."winnow.components"]
    my_quality = "my_package.my_quality:MyQuality"

A class that a program has made and puts into a recipe is adopted for the time of the process, under its name in words:
MyQuality is `my_quality`. Its code enters the address of its stage.

The class derives from the base of its verb: Filter, Rewriter, Source, Extractor, a dedup method or a fit, or one of
`training.config.components`. A package cannot redefine one of winnow's own keys.
"""

import ast
import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import NamedTuple

from curation.core.close_names import nearest
from curation.core.code_hash import code_hash
from curation.core.component import Component
from curation.core.errors import UserError
from curation.core.verbs import VERBS, Verb

GROUP = "winnow.components"
OWN = ("curation.", "training.")  # packages of winnow's own components
_WORD = re.compile(r"(?<!^)(?=[A-Z])")
_adopted: dict[str, type[Component]] = {}  # by key


def find(verb: Verb, key: str) -> type[Component]:
    """The class behind a key, e.g. (FILTER, "gopher_quality") -> GopherQuality.

    Raises UserError naming the nearest known key.
    """
    modules = _own(verb)
    if key in modules:
        if key in _installed():
            raise _taken(_installed()[key], verb)
        component: type[Component] = getattr(importlib.import_module(modules[key]), _class_name(key))
        return component
    if key in _installed():
        component = _load(key)
        if component.verb is verb:
            return component
    if key in _adopted and _adopted[key].verb is verb:
        return _adopted[key]
    files = _files(verb)
    unfinished = f"; {files[key].module} has no class {_class_name(key)} with a version" if key in files else ""
    raise UserError(f"no {verb.name} named {key!r}{nearest(key, known(verb))}{unfinished}")


def known(verb: Verb) -> list[str]:
    """Keys of all components of a verb, sorted. Imports only those of installed packages."""
    return sorted([*_own(verb), *(key for key in _installed() if _load(key).verb is verb)])


def source_of(verb: Verb, key: str) -> Path:
    """The source file of a component, found without importing it. Raises UserError for an unknown key."""
    modules = _own(verb)
    spec = importlib.util.find_spec(modules[key] if key in modules else find(verb, key).__module__)
    assert spec is not None, f"{key} has a module"
    return Path(str(spec.origin))


def package_of(key: str) -> str:
    """ "<name> <version>" of the installed package that a component comes from, "code <hash>" of one that a program has
    made; "" for winnow's own."""
    if key in _adopted:
        return f"code {code_hash(_adopted[key])}"
    entry = _installed().get(key)
    return f"{entry.dist.name} {entry.dist.version}" if entry is not None and entry.dist is not None else ""


def key_of(component: type[Component]) -> str:
    """The key that finds a class: its module's name, another that an installed package has chosen, or, of a class that
    a program has made, its own name in words."""
    module = component.__module__
    package = module.partition(".")[0]
    chosen = (key for key, entry in _installed().items() if entry.module.partition(".")[0] == package)
    own = module.rpartition(".")[2] if module.startswith(OWN) else component.called or key_of_class(component.__name__)
    return next((key for key in chosen if _load(key) is component), own)


def key_of_class(name: str) -> str:
    """The name of a class in words: MyQuality is my_quality."""
    return _WORD.sub("_", name).lower()


def adopt(component: type[Component]) -> str:
    """The key of a class that a recipe of this process may name from now on. Raises UserError for one that has no verb,
    or the key of another component."""
    key = key_of(component)
    if component.verb is None:
        raise UserError(f"{component.__name__} derives from no base of a verb, such as winnow.Filter")
    if key in _installed() or any(key in _own(verb) for verb in (*VERBS.values(), component.verb)):
        if key not in known(component.verb) or find(component.verb, key) is not component:
            raise UserError(f"{component.__name__} has the key of another component, {key}; rename it")
    else:
        _adopted[key] = component
    return key


@lru_cache
def _own(verb: Verb) -> Mapping[str, str]:
    """Key -> module of winnow's own components: modules with a class of the matching name that has a `version`."""
    if verb.only:
        return {verb.only: f"{verb.room}.{verb.only}"}
    return {name: found.module for name, found in _files(verb).items() if _defines(found.file, _class_name(name))}


class _ModuleFile(NamedTuple):
    """A module's dotted name and its file."""

    module: str
    file: Path


def _files(verb: Verb) -> Mapping[str, _ModuleFile]:
    """The modules of a verb's room and of its annex, by their names."""
    return {**_modules(verb.room), **(_modules(verb.annex) if verb.annex else {})}


def _modules(package: str) -> Mapping[str, _ModuleFile]:
    """Those of a package by their names; none of one that was left out."""
    spec = importlib.util.find_spec(package)
    folders = () if spec is None else spec.submodule_search_locations or ()
    return {
        module.name: _ModuleFile(
            f"{package}.{module.name}",
            Path(folder, module.name, "__init__.py") if module.ispkg else Path(folder, f"{module.name}.py"),
        )
        for folder in folders
        for module in pkgutil.iter_modules([folder])
    }


def _defines(file: Path, name: str) -> bool:
    classes = (node for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef))
    stated = (
        line.target for node in classes if node.name == name for line in node.body if isinstance(line, ast.AnnAssign)
    )
    return any(isinstance(target, ast.Name) and target.id == "version" for target in stated)


def _class_name(key: str) -> str:
    return "".join(word.capitalize() for word in key.split("_"))


@lru_cache
def _installed() -> Mapping[str, EntryPoint]:
    """Key -> entry point of the components of installed packages. Raises UserError for a key that is used twice."""
    entries: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        own = next((verb for verb in VERBS.values() if entry.name in _own(verb)), None)
        if own is not None:
            raise _taken(entry, own)
        if entry.name in entries:
            raise UserError(f"{_of_package(entry)} is in another installed package too; uninstall one of them")
        entries[entry.name] = entry
    return entries


@lru_cache
def _load(key: str) -> type[Component]:
    entry = _installed()[key]
    try:
        component = entry.load()
    except (ImportError, AttributeError) as error:
        raise UserError(f"the component {key!r} of an installed package cannot be imported: {error}") from error
    if not (isinstance(component, type) and issubclass(component, Component) and component.verb is not None):
        raise UserError(
            f"{entry.value} is no component; it must be a frozen dataclass that derives from the base of a verb, such "
            "as winnow.Filter"
        )
    if key in _own(component.verb):  # of a verb that is not in VERBS, which the component itself names
        raise _taken(entry, component.verb)
    return component


def _taken(entry: EntryPoint, verb: Verb) -> UserError:
    return UserError(f"{_of_package(entry)} has the key of winnow's own {verb} {entry.name}; rename it")


def _of_package(entry: EntryPoint) -> str:
    return f"the component {entry.name!r} of {entry.dist.name if entry.dist is not None else entry.value}"
