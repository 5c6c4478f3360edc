"""Sets of which no item could be found, at the limit and one token short of it."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.models.evalsets.findable import FIRST, check_sets
from curation.models.evalsets.sets import EvalSet
from tests.curation.models.evalsets import write_rows

FIVE = "red green blue black white"
SEVEN = "red green blue black white brown grey"


def check(folder: Path, sizes: tuple[int, ...], **sets: list[str]) -> None:
    """Checks sets of these questions."""
    files = {name: [write_rows(folder / f"{name}.jsonl", [{"question": q} for q in sets[name]])] for name in sets}
    check_sets({name: EvalSet(files=tuple(paths)) for name, paths in files.items()}, files, sizes)


def test_one_item_that_is_long_enough_will_do(tmp_path: Path) -> None:
    check(tmp_path, (5,), own=["red green", FIVE])


@pytest.mark.parametrize(
    "question",
    [pytest.param("red green blue black", id="4 tokens"), pytest.param("1 2 3 4 5 6 7", id="numbers alone")],
)
def test_a_set_of_items_that_are_all_too_short_is_refused(tmp_path: Path, question: str) -> None:
    with pytest.raises(InputError, match=r"evaluation set own: no item has 5 tokens, so none could be found; leave"):
        check(tmp_path, (8, 5), other=[SEVEN + " pink"], own=[question])


def test_items_beyond_the_first_rows_count(tmp_path: Path) -> None:
    short = ["red green"] * FIRST
    check(tmp_path, (5,), own=[*short, FIVE])
    with pytest.raises(InputError, match="evaluation set own: no item has 5 tokens"):
        check(tmp_path, (5,), own=short)


def test_a_size_of_which_no_set_has_an_n_gram_is_refused(tmp_path: Path) -> None:
    check(tmp_path, (5, 7), one=[FIVE], other=[SEVEN])
    with pytest.raises(InputError, match="no item has 8 tokens, so nothing could be found by 8-grams"):
        check(tmp_path, (5, 8), one=[FIVE], other=[SEVEN])


def test_items_that_the_recipe_states_are_checked_too() -> None:
    sets = {"own": EvalSet(items=({"question": FIVE},))}
    check_sets(sets, {"own": ()}, (5,))
    with pytest.raises(InputError, match="evaluation set own: no item has 6 tokens"):
        check_sets(sets, {"own": ()}, (6,))


def test_a_set_without_a_question_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="evaluation set own has no item with a question"):
        check(tmp_path, (5,), own=[" "])
