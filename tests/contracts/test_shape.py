"""The house's shape: who may import whom, how long a file and a function may be, and what has its test."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from curation.core import catalog
from curation.core import verbs as verbs_module
from curation.core.verbs import Verb

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("curation", "training", "pipelines", "cluster", "winnow", "demo", "docs")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

MAX_FILE = 300
MAX_FUNCTION = 50
VAGUE = {"utils", "common", "helpers"}

# A room may import rooms of lower rank; rooms of one rank never import each other.
RANK = {
    "curation.core": 0,
    "curation.text": 1,
    "curation.models": 2,
    **dict.fromkeys([f"curation.{r}" for r in ("sources", "extract", "filters", "rewrite", "dedup", "tokens")], 3),
    "curation.fit": 4,
    **dict.fromkeys(["curation.engine", "curation.account"], 5),
    "training.batch": 0,
    "training.roles": 1,
    "training.trainable": 2,
    "training.initialise": 3,
    "training.config": 3,
    **dict.fromkeys([f"training.{r}" for r in ("objectives", "models", "optim", "parallel", "precision")], 4),
    "training.trainee": 5,
    **dict.fromkeys([f"training.{r}" for r in ("step", "data", "checkpoint", "metrics")], 6),
    "training.memory": 6,
    "training.evaluate": 7,
    "training.preflight": 7,
    "training.plan": 8,
    "training.branch": 8,
    "training.loop": 8,
    "training.start": 9,
    "training.job": 10,
    "training.__main__": 10,
    "cluster": 11,
    "pipelines": 12,
    "winnow": 13,
}
# The only class names of two meanings: a filter, and the fit that learns what it loads, both with their key's name; and
# the protocol of extractors, and the fit that learns one; and an objective, and what the account tells of a mix.
TWICE = {"Dsir", "Extractor", "Mixture"}
# A class is named by a noun; this trait says what a fit is, and this objective has its key's name.
PARTICIPLES = {"Masked", "Sampled"}
NOUNS = {"Speed"}
IRREGULAR = {
    "Drawn",
    "Found",
    "Held",
    "Kept",
    "Known",
    "Lost",
    "Made",
    "Seen",
    "Sent",
    "Sought",
    "Taken",
    "Told",
    "Won",
}
LEFT_OUT = ("curation.sources.documents",)  # the rest works without them
RULE_ROOMS = ("curation.filters", "curation.rewrite")
RAY_ROOMS = ("curation.engine.executor", "training.job", "cluster")
# What training may import of curation: the common ground, the reader of token shards, and, where it starts one itself,
# the private Ray.
BRIDGES = ("curation.core", "curation.tokens.shards", "curation.tokens.step_rows")
RAY_BRIDGES = tuple(f"curation.engine.executor.{name}" for name in ("local_ray", "ray_private", "worker_imports"))
# Where names that Ray does not promise to keep may be imported; the second holds those of Ray Train.
RAY_PRIVATE = ("curation.engine.executor.ray_private", "training.job.meeting", "training.job.elastic")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str | None:
    return max((r for r in RANK if module == r or module.startswith(r + ".")), key=len, default=None)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Absolute names of all modules that the file imports, at any depth; `from a.b import c` gives a.b and a.b.c."""
    names: list[str] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names if _is_module(node.module, alias.name)]
    return tuple(names)


@cache
def _is_module(package: str, name: str) -> bool:
    base = ROOT.joinpath(*package.split("."))
    return (base / f"{name}.py").exists() or (base / name / "__init__.py").exists()


def forbidden(module: str, imported: str) -> str | None:
    """Why `module` may not import `imported`, or None."""
    own = room(module)
    other = room(imported)
    if imported.split(".")[0] == "ray" and not module.startswith(RAY_ROOMS):
        return "only the engine's executor, training.job and cluster know ray"
    if imported.startswith("ray.") and "._" in imported and module not in RAY_PRIVATE:
        return f"only {' and '.join(RAY_PRIVATE)} use what is private to Ray"
    if imported.startswith(LEFT_OUT) and not module.startswith((*LEFT_OUT, "winnow.")):
        return f"{' and '.join(LEFT_OUT)} can be left out; the catalog finds what is in them"
    if own in RULE_ROOMS and own == other and module != imported != own:
        return "rules never import rules"
    if own is None or other is None or own == other:
        return None
    if own.startswith("training.") and other.startswith("curation."):
        bridges = (*BRIDGES, *RAY_BRIDGES) if own == "training.job" else BRIDGES
        crossed = any(f"{imported}.".startswith(f"{bridge}.") for bridge in bridges)
        return None if crossed else f"{own} knows only {' and '.join(bridges)} of curation"
    if own.startswith("curation.") and not other.startswith("curation."):
        return "curation knows nothing of training or pipelines"
    return None if RANK[other] < RANK[own] else f"{own} may not import {other}"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_follow_the_arrows(path: Path) -> None:
    wrong = {f"{found}: {why}" for found in imports(path) if (why := forbidden(module_name(path), found))}
    assert not wrong


@pytest.mark.parametrize(
    ("module", "imported", "allowed"),
    [
        ("curation.filters.gopher_quality", "curation.text.spans", True),
        ("curation.filters.gopher_quality", "curation.filters.language", False),
        ("curation.filters.gopher_quality", "curation.dedup.exact", False),
        ("curation.text.spans", "curation.filters.language", False),
        ("curation.account.lineage.why", "curation.engine.recipe.plan", False),
        ("curation.account.lineage.why", "ray", False),
        ("curation.engine.driver.runner", "ray.data", False),
        ("curation.engine.executor.on_ray", "ray.data", True),
        ("curation.engine.executor.on_ray", "ray._private.utils", False),
        ("curation.engine.executor.ray_private", "ray._private.utils", True),
        ("training.loop", "curation.tokens.shards", True),
        ("training.loop", "curation.tokens.step_rows", True),
        ("training.config", "curation.core.settings", True),
        ("training.optim.adamw", "training.config.components", True),
        ("training.optim.adamw", "training.models.decoder", False),
        ("training.config.run", "training.optim.adamw", False),
        ("training.batch", "training.objectives.causal", False),
        ("training.loop", "curation.tokens.pack", False),
        ("training.loop", "curation.core.storage", True),
        ("training.checkpoint", "curation.core.lease", True),
        ("training.data.batches", "curation.tokens.mixing.streams", False),
        ("training.loop", "curation.engine.executor.local_ray", False),
        ("training.loop", "curation.account.run", False),
        ("training.job", "curation.engine.executor.local_ray", True),
        ("training.job.ray_metrics", "curation.engine.executor.ray_metrics", False),
        ("training.job", "curation.engine.executor.on_ray", False),
        ("curation.core.lease", "training.loop", False),
        ("training.loop", "ray", False),
        ("training.job", "ray.train", True),
        ("pipelines.cli", "curation.engine.driver.runner", True),
        ("pipelines.cli", "cluster.jobs", True),
        ("winnow", "pipelines.api", True),
        ("pipelines.cli", "winnow", False),
        ("cluster.package", "curation.engine.recipe.plan", True),
        ("cluster.jobs", "pipelines.api", False),
        ("curation.engine.driver.runner", "pipelines.cli", False),
    ],
)
def test_the_arrows_themselves(module: str, imported: str, allowed: bool) -> None:
    assert (forbidden(module, imported) is None) is allowed


def test_no_import_cycles() -> None:
    names = {module_name(path) for path in FILES}
    graph = {module_name(path): {i for i in imports(path) if i in names} for path in FILES}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"import cycle: {' -> '.join([*trail[trail.index(module) :], module])}"
        if module not in done:
            for imported in sorted(graph[module] - {module}):
                visit(imported, (*trail, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


def sub_rooms(package: str) -> dict[str, set[str]]:
    """Each sub-room of the package -> those of its neighbours that it imports. A sub-room is what lies directly in the
    package: a folder, or a file, which stands for itself because files of one folder may be above and below another."""
    start = f"{package}."
    place = package.count(".") + 2
    arrows: dict[str, set[str]] = {}
    for path in FILES:
        if (module := module_name(path)).startswith(start):
            own = ".".join(module.split(".")[:place])
            found = {".".join(name.split(".")[:place]) for name in imports(path) if name.startswith(start)}
            arrows.setdefault(own, set()).update(found - {own})
    return arrows


def knotted(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """The arrows that are left once all rooms are taken away that import, or are imported by, none of the others."""
    left = dict(arrows)
    while True:
        imported = set[str]().union(*left.values())
        inner = {name: {other for other in found if other in left} for name, found in left.items() if name in imported}
        inner = {name: found for name, found in inner.items() if found}
        if inner == left:
            return left
        left = inner


@pytest.mark.parametrize("package", sorted({module_name(path) for path in FILES if path.name == "__init__.py"}))
def test_sub_rooms_import_one_way(package: str) -> None:
    arrows = sub_rooms(package)
    assert not knotted(arrows)


def test_knots_themselves() -> None:
    assert knotted({"top": {"a"}, "a": {"b", "low"}, "b": {"a"}, "low": set()}) == {"a": {"b"}, "b": {"a"}}
    assert knotted({"a": {"b"}, "b": {"c"}, "c": {"a"}}).keys() == {"a", "b", "c"}
    assert not knotted({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body; a list of parameters and a docstring make it no longer."""
    body = function.body[1:] if ast.get_docstring(function) and len(function.body) > 1 else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= MAX_FILE
    assert path.stem not in VAGUE
    functions = [n for n in ast.walk(tree(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [f.name for f in functions if _lines(f) > MAX_FUNCTION]
    assert not long


def test_a_class_name_has_one_meaning_and_is_a_noun() -> None:
    homes: dict[str, list[str]] = {}
    for path in FILES:
        for node in tree(path).body if path.relative_to(ROOT).parts[0] != "demo" else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_name(path))
    assert not {name: modules for name, modules in homes.items() if len(modules) > 1 and name not in TWICE}
    bare = {name for name in homes if re.fullmatch(r"[A-Z][a-z]+ed", name) or name in IRREGULAR}
    assert not bare - PARTICIPLES - NOUNS


def _packed(node: ast.AST) -> bool:
    """Whether an assignment gives several names their own value each; one that exchanges values does not."""
    if not (
        isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
    ):
        return False
    given = {ast.dump(target).replace("Store()", "Load()") for target in node.targets[0].elts}
    read = {ast.dump(part) for part in ast.walk(node.value)}
    bases = {part.id for target in node.targets[0].elts for part in ast.walk(target) if isinstance(part, ast.Name)}
    exchanged = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)} & bases
    return not (given & read or exchanged)


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_a_line_has_one_statement(path: Path) -> None:
    assert not [node.lineno for node in ast.walk(tree(path)) if _packed(node)]


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_module_says_what_it_does(path: Path) -> None:
    assert ast.get_docstring(tree(path))


def _components() -> set[Path]:
    verbs = [value for value in vars(verbs_module).values() if isinstance(value, Verb)]
    return {catalog.source_of(verb, key) for verb in verbs for key in catalog.known(verb)}


def _faces() -> set[Path]:
    """Files that a file of another room imports."""
    homes = {module_name(path): path for path in FILES}
    return {
        homes[name]
        for path in FILES
        for name in imports(path)
        if name in homes and room(name) != room(module_name(path)) and homes[name].name != "__init__.py"
    }


@cache
def _imported_by_tests(of: Path) -> frozenset[str]:
    """Modules that the tests of a room import."""
    return frozenset(name for path in of.rglob("*.py") for name in imports(path))


@pytest.mark.parametrize("path", sorted(_components() & set(FILES)), ids=module_name)
def test_every_component_has_its_test(path: Path) -> None:
    relative = path.relative_to(ROOT)
    assert (ROOT / "tests" / relative.parent / f"test_{relative.name}").exists()


@pytest.mark.parametrize("path", sorted(_faces()), ids=module_name)
def test_what_other_rooms_use_is_tested_in_its_own(path: Path) -> None:
    """By a test of its name or one that imports it; what only its room uses is tested through its owner."""
    relative = path.relative_to(ROOT)
    if (ROOT / "tests" / relative.parent / f"test_{relative.name}").exists():
        return
    parts = relative.parts
    assert module_name(path) in _imported_by_tests(ROOT / "tests" / Path(*parts[: min(2, len(parts) - 1)]))
