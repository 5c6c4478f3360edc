"""The Python API as its sources document it: functions of `winnow`, and the classes that they give and take."""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from textwrap import dedent
from typing import Any

import winnow
from curation.core import errors
from demo.docstrings import Entry, read_python
from pipelines import api

ROOMS = ("curation.", "pipelines.")


def functions() -> dict[str, list[Entry]]:
    """Name -> a documented function of `winnow`, by the module that it is written in."""
    found = [one for one in (getattr(winnow, name) for name in dir(winnow)) if inspect.isfunction(one)]
    found.sort(key=lambda one: one.__module__)
    return {one.__name__: entries for one in found if (entries := _entries(one))}


def classes() -> dict[str, list[Entry]]:
    """Name of a class -> itself with its fields, then its methods. First come those that `pipelines.api` and the class
    of runs name, then the errors, then what all these consist of and answer."""
    waiting = [one for module in (api, sys.modules[api.Run.__module__], errors) for one in _names(module).values()]
    found: dict[str, list[Entry]] = {}
    for one in waiting:  # which grows
        if inspect.isclass(one) and one.__module__.startswith(ROOMS) and one.__name__ not in found:
            found[one.__name__] = list(_class(one))
            waiting += _mentioned(one)
    return {name: entries for name, entries in found.items() if entries}


def _entries(documented: Any) -> list[Entry]:
    return read_python(dedent(inspect.getsource(documented)), documented.__module__)


def _class(cls: type) -> Iterator[Entry]:
    """The class with the lines of its fields, and its methods with those of the classes here that it derives from."""
    lines = dedent(inspect.getsource(cls)).splitlines()
    fields = [node for node in _body(cls) if isinstance(node, ast.AnnAssign) and ast.unparse(node.target)[0] != "_"]
    shown = [line for node in fields for line in lines[node.lineno - 1 : node.end_lineno]]
    seen = set[str]()
    for entry in (entry for base in cls.__mro__ if base.__module__.startswith(ROOMS) for entry in _entries(base)):
        name = entry.name.rpartition(".")[2]
        if entry.name == cls.__name__:
            yield Entry(entry.module, name, "\n".join([entry.signature, *shown]), entry.doc)
        elif entry.owner and name not in seen:
            seen.add(name)
            yield entry


def _body(cls: type) -> list[ast.stmt]:
    (definition,) = ast.parse(dedent(inspect.getsource(cls))).body
    return definition.body if isinstance(definition, ast.ClassDef) else []


def _mentioned(cls: type) -> Iterator[Any]:
    """What the types of its fields, and of what its methods answer, name."""
    names = _names(sys.modules[cls.__module__])
    for node in _body(cls):
        annotation = node.returns if isinstance(node, ast.FunctionDef) else getattr(node, "annotation", None)
        if annotation is not None:
            written = ast.parse(ast.unparse(annotation).strip("'"))
            yield from (names[part.id] for part in ast.walk(written) if isinstance(part, ast.Name) and part.id in names)


@cache
def _names(module: Any) -> Mapping[str, Any]:
    """The names of a module, with those that it imports for the checker of types alone."""
    names = dict(vars(module))
    blocks = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.If)]
    for line in (line for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for line in block.body):
        if isinstance(line, ast.ImportFrom) and f"{line.module}.".startswith(ROOMS):
            names |= {one.asname or one.name: getattr(import_module(line.module or ""), one.name) for one in line.names}
    return names
