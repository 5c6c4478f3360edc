"""Nothing compares the names of verbs or keeps a table of them: their records say what is asked of them."""

import ast
from pathlib import Path

import pytest

from curation.core.verbs import VERBS
from tests.contracts.test_shape import FILES, module_name


def compared(tree: ast.AST) -> list[int]:
    """Lines on which a string that names a verb is compared with something called a verb."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            strings = {at.value for side in sides for at in ast.walk(side) if isinstance(at, ast.Constant)}
            names = {getattr(side, "attr", getattr(side, "id", "")) for side in sides}
            if strings & set(VERBS) and any("verb" in name.lower() for name in names):
                lines.append(node.lineno)
    return lines


def tables(tree: ast.AST) -> list[int]:
    """Lines of tuples, lists, sets and mappings of two or more names of verbs, and of nothing else."""
    lines = []
    for node in ast.walk(tree):
        items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        names = [item.value for item in items if isinstance(item, ast.Constant)]
        if len(items) >= 2 and len(names) == len(items) and set(names) <= set(VERBS):
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_no_names_of_verbs(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not compared(tree)
    assert not tables(tree)


@pytest.mark.parametrize(
    "source",
    [
        "stage.verb == 'dedup'",
        "verb in ('filter', 'rewrite')",
        "ROW_VERBS = ('filter', 'dedup')",
        "{'fit': 1, 'mix': 2}",
    ],
)
def test_what_it_finds(source: str) -> None:
    tree = ast.parse(source)
    assert compared(tree) or tables(tree)
