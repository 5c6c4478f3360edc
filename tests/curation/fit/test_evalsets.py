"""What the fit indexes, and which options it refuses."""

from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError
from curation.fit.evalsets import _FIRST, Evalsets
from curation.models.evalsets.index import load
from curation.models.evalsets.sets import EvalSet
from tests.curation.models.evalsets import HENS, SHIPS, write_rows


def test_the_files_of_an_index(tmp_path: Path) -> None:
    one, other = (write_rows(tmp_path / f"{n}.jsonl", [{"question": text}]) for n, text in enumerate((HENS, SHIPS)))
    fit = Evalsets(sets={"b": EvalSet(files=one), "a": EvalSet(files=(other,))}, sizes=(8,))
    assert fit.inputs() == {"b": (one,), "a": (other,)}
    for name, content in fit.index({"b": [one], "a": [other]}).items():
        (tmp_path / name).write_bytes(content)
    index = load(str(tmp_path / fit.asset))
    assert index.names.to_pylist() == ["b/0", "a/0"]
    assert index.sizes == (8,)


def test_every_file_is_looked_at_before_work(tmp_path: Path) -> None:
    good = write_rows(tmp_path / "a.jsonl", [{"question": HENS}])
    bad = write_rows(tmp_path / "b.jsonl", [{"q": HENS}])
    fit = Evalsets(sets={"own": EvalSet(files=(good, bad))})
    fit.check({"own": [good]})
    with pytest.raises(InputError, match=r"evaluation set own: cannot read .*b\.jsonl: .*question"):
        fit.check({"own": [good, bad]})


FIVE = "red green blue black white"
SEVEN = f"{FIVE} brown grey"


def check(folder: Path, sizes: tuple[int, ...], **sets: list[str]) -> None:
    """Checks sets of these questions."""
    files = {name: [write_rows(folder / f"{name}.jsonl", [{"question": q} for q in sets[name]])] for name in sets}
    Evalsets(sets={name: EvalSet(files=tuple(paths)) for name, paths in files.items()}, sizes=sizes).check(files)


@pytest.mark.parametrize(
    ("sizes", "sets", "message"),
    [
        pytest.param((5,), {"own": ["red green", FIVE]}, None, id="one item is long enough"),
        pytest.param((5,), {"own": ["red"] * _FIRST + [FIVE]}, None, id="which is beyond the first rows"),
        pytest.param((5,), {"own": ["red"] * _FIRST}, "set own: no item has 5 tokens, so none could", id="too short"),
        pytest.param((8, 5), {"a": [SEVEN + " pink"], "own": ["1 2 3 4 5 6"]}, "set own: no item has 5", id="numbers"),
        pytest.param((5, 7), {"one": [FIVE], "other": [SEVEN]}, None, id="each size in one of the sets"),
        pytest.param(
            (5, 8), {"one": [FIVE], "other": [SEVEN]}, "nothing could be found by 8-grams", id="a size in none"
        ),
        pytest.param((5,), {"own": [" "]}, "evaluation set own has no item with a question", id="no question"),
    ],
)
def test_sets_of_which_no_item_could_be_found(
    tmp_path: Path, sizes: tuple[int, ...], sets: dict[str, list[str]], message: str | None
) -> None:
    if message is None:
        check(tmp_path, sizes, **sets)
    else:
        with pytest.raises(InputError, match=message):
            check(tmp_path, sizes, **sets)


def test_items_that_the_recipe_states_are_checked_too() -> None:
    sets = {"own": EvalSet(items=({"question": FIVE},))}
    Evalsets(sets=sets, sizes=(5,)).check({"own": ()})
    with pytest.raises(InputError, match="evaluation set own: no item has 6 tokens"):
        Evalsets(sets=sets, sizes=(6,)).check({"own": ()})


@pytest.mark.parametrize(
    ("sets", "sizes", "error"),
    [
        ({}, (8,), "sets is empty"),
        ({"a/b": EvalSet(files="x")}, (8,), "without a slash"),
        ({"a": EvalSet(files="x")}, (), "sizes is"),
        ({"a": EvalSet(files="x")}, (1,), "sizes is"),
        ({"a": EvalSet(files="x")}, (8, 8), "sizes is"),
    ],
)
def test_options(sets: dict[str, EvalSet], sizes: tuple[int, ...], error: str) -> None:
    with pytest.raises(RecipeError, match=error):
        Evalsets(sets=sets, sizes=sizes)
