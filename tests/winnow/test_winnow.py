"""The public face: its names, which stay, and that importing it takes no time."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import winnow
from curation.core import catalog
from curation.core.component import Component
from curation.core.verbs import VERBS, Verb
from training.config.components import DEFAULTS

ROOT = Path(__file__).resolve().parents[2]
# Programs of others use these: a name that goes, or changes, breaks them.
NAMES = """
    Architecture ByLanguage Component Extraction Extractor Filter Inline InputError Judgement Limit Needs Objective
    Optimizer RecipeError Rewrite Rewriter Run Schedule Source StageError UserError WinnowError
    annotate compare curate evaluate filter plan plan_takedown read_recipe read_rubric read_train_config release size
    takedown train
"""
WORDS = {
    "dedup": ("dedup",),
    "extract": ("extract",),
    "filters": ("filter",),
    "fit": ("fit",),
    "models": ("model",),
    "objectives": ("objective",),
    "optim": ("optimizer", "schedule"),
    "rewrite": ("rewrite",),
    "sources": ("read",),
    "tokens": ("tokenize", "pack", "mix"),
}
ALL_VERBS: dict[str, Verb] = {**VERBS, **{verb.name: verb for verb in DEFAULTS}}


def stated(module: object) -> dict[str, str]:
    """Name -> the module that it is imported from, as a checker of types reads the file."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    lines = [line for line in block.body if isinstance(line, ast.ImportFrom)]
    assert all(one.name == one.asname for line in lines for one in line.names), "else the checker takes them as private"
    return {one.name: str(line.module) for line in lines for one in line.names}


def test_names_stay() -> None:
    assert sorted(stated(winnow)) == sorted(NAMES.split())
    assert {name: module for module, names in winnow.HOMES.items() for name in names} == stated(winnow)
    assert dir(winnow) == sorted([*NAMES.split(), *WORDS])
    for name, module in stated(winnow).items():
        assert getattr(winnow, name) is getattr(importlib.import_module(module), name)


def test_every_verb_has_its_room() -> None:
    assert sorted(word for words in WORDS.values() for word in words) == sorted(ALL_VERBS)
    assert sorted(WORDS) == sorted(winnow.ROOMS)


@pytest.mark.parametrize("room", WORDS)
def test_every_component_is_in_its_room(room: str) -> None:
    module = getattr(winnow, room)
    found: dict[str, type[Component]] = {}
    for verb in (ALL_VERBS[word] for word in WORDS[room]):
        own = {key: catalog.find(verb, key) for key in catalog.known(verb)}
        found |= {kind.__name__: kind for key, kind in own.items() if not catalog.package_of(key)}
    assert {name: getattr(module, name) for name in found} == found
    assert set(dir(module)) >= set(found)
    assert stated(module) == {name: kind.__module__ for name, kind in found.items()}


def test_a_name_that_no_component_has() -> None:
    with pytest.raises(AttributeError, match=r"winnow.filters has no GopherQualty; did you mean 'GopherQuality'"):
        winnow.filters.GopherQualty  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="module 'winnow' has no attribute 'curat'"):
        winnow.curat  # type: ignore[attr-defined]  # noqa: B018


def test_the_import_brings_nothing_slow() -> None:
    slow = ("ray", "torch", "numba", "pyarrow", "numpy", "pandas", "yaml", "typer", "curation", "pipelines", "training")
    program = f"import sys, winnow; print(*[name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == []
