"""The patterns of the product: every call of `re` in its sources, with its place and the ways in which it is used.

The pattern's expression is evaluated in its module, so constants, f-strings and names of the module are resolved.
What cannot be, because the pattern is made only while the code runs or is one of another engine, is given as it is
written, unless `re.escape` is all that is missing.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.contracts.test_shape import FILES, ROOT, module_name, tree

PRODUCT = ("curation", "training", "pipelines", "cluster", "winnow")
CALLS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
METHODS = frozenset(CALLS) - {"compile"}
ENGINES = ("re", "regex", "re2")
FLAGS = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3}  # places
ESCAPED = "ab"  # stands for a text in re.escape's brackets


@dataclass(frozen=True)
class Listed:
    """A pattern, the file and the line of its call, the name of the module's that it has ("" without one), and the
    methods by which it is used."""

    file: str
    line: int
    name: str
    pattern: re.Pattern[Any]
    uses: frozenset[str]


@cache
def patterns() -> tuple[tuple[Listed, ...], tuple[str, ...]]:
    """All patterns, and the calls whose pattern could not be resolved, each as its file and its source."""
    listed: dict[tuple[str, int, Any], Listed] = {}
    unresolved: list[str] = []
    for path in FILES:
        file = str(path.relative_to(ROOT))
        if not file.startswith(PRODUCT) or "import re" not in path.read_text():
            continue
        unresolved += (f"{file} from {module} import {name}" for module, name in _imported(path) if module in ENGINES)
        names = vars(importlib.import_module(module_name(path)))
        for call, statement in _calls(tree(path)):
            made = _resolve(call, statement, names)
            if not made:
                unresolved.append(f"{file} {ast.unparse(call)}")
            for pattern in made:
                one = Listed(file, call.lineno, _name(call, statement), pattern, _uses(call, statement, path))
                listed[file, call.lineno, pattern.pattern] = one
    return tuple(listed.values()), tuple(unresolved)


def _calls(module: ast.Module) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Calls of the engines, each with the statement of the module that it stands in."""
    for statement in module.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and _engine(node) in ENGINES and _method(node) in CALLS:
                yield node, statement


def _engine(call: ast.Call) -> str:
    named = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    return call.func.value.id if named else ""  # type: ignore[attr-defined]  # as was just seen


def _method(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return call.func.attr


def _resolve(call: ast.Call, statement: ast.stmt, names: dict[str, Any]) -> list[re.Pattern[Any]]:
    """The patterns that a call compiles; several if it stands in a comprehension of the module's own."""
    if _engine(call) != "re":
        return []
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    flags += call.args[FLAGS.get(_method(call), 4) :][:1]
    try:
        pattern = _value(_Escaped().visit(ast.parse(ast.unparse(call.args[0]), mode="eval")), names)
        flag = _value(ast.Expression(flags[0]), names) if flags else 0
    except NameError:
        return _recorded(statement, names)
    return [pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, flag)]


def _value(expression: ast.Expression, names: dict[str, Any]) -> Any:
    return eval(compile(ast.fix_missing_locations(expression), "pattern", "eval"), dict(names))


class _Escaped(ast.NodeTransformer):
    """Puts a plain text in place of `re.escape(…)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:  # as ast names it
        """A call, or the text."""
        return ast.Constant(ESCAPED) if ast.unparse(node.func) == "re.escape" else self.generic_visit(node)


def _recorded(statement: ast.stmt, names: dict[str, Any]) -> list[re.Pattern[Any]]:
    """What an assignment of the module compiles, found by running it once more; nothing for a function."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return []
    made: list[re.Pattern[Any]] = []

    def record(*arguments: Any) -> re.Pattern[Any]:
        made.append(re.compile(*arguments))
        return made[-1]

    watched = SimpleNamespace(**{**vars(re), "compile": record})
    exec(compile(ast.Module([statement], []), "statement", "exec"), {**names, "re": watched})
    return made


def _uses(call: ast.Call, statement: ast.stmt, path: Path) -> frozenset[str]:
    """How a pattern is used: by the call itself, through the name that it is assigned to, or, in a container, in any
    way in which the file uses what has no name."""
    if _method(call) != "compile":
        return frozenset({_method(call)})
    name = _name(call, statement)
    if not name:
        return _methods(path).get("", frozenset()) - {"split"} or frozenset({"search"})
    module = module_name(path)
    files = [path, *(other for other in FILES if not name.startswith("_") and (module, name) in _imported(other))]
    return frozenset().union(*(_methods(file).get(name, frozenset()) for file in files)) or frozenset({"search"})


def _name(call: ast.Call, statement: ast.stmt) -> str:
    """The name of the module to which nothing but the call is assigned, "" if there is none."""
    if isinstance(statement, ast.Assign) and statement.value is call and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""


@cache
def _methods(path: Path) -> dict[str, frozenset[str]]:
    """Name -> the methods of patterns that are called on it in a file, `search` where it is handed on; "" -> those that
    are called on anything that is no name in capitals."""
    parents = {id(child): node for node in ast.walk(tree(path)) for child in ast.iter_child_nodes(node)}
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id.isupper():
            parent = parents[id(node)]
            found.setdefault(node.id, set()).add(parent.attr if isinstance(parent, ast.Attribute) else "search")
        elif isinstance(node, ast.Attribute) and node.attr in METHODS:
            name = ast.unparse(node.value)
            if name != "re" and not name.isupper():
                found.setdefault("", set()).add(node.attr)
    return {name: frozenset(methods & METHODS) for name, methods in found.items()}


@cache
def _imported(path: Path) -> frozenset[tuple[str, str]]:
    """What a file imports, as modules and names."""
    froms = [node for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom) and node.module]
    return frozenset((str(node.module), alias.name) for node in froms for alias in node.names)
