"""The best and the worst of scored texts, in whatever order they come."""

import numpy as np
import pyarrow as pa

from curation.models.extremes import CHARACTERS, EXAMPLES, Extremes


def found(numbers: list[int]) -> dict[str, list[dict[str, object]]]:
    extremes = Extremes()
    for number in numbers:  # one more without a score
        extremes.add(pa.array([f"text {number}", "no score"]), np.array([number / 2, np.nan]))
    return extremes.facts()


def test_the_best_and_the_worst_come_first() -> None:
    facts = found([3, 9, 1, 7, 5, 0, 8, 2])
    assert [one["score"] for one in facts["best"]] == [4.5, 4.0, 3.5, 2.5, 1.5]
    assert [one["text"] for one in facts["worst"]] == [f"text {number}" for number in (0, 1, 2, 3, 5)]
    assert len(facts["best"]) == EXAMPLES


def test_equal_scores_do_not_depend_on_the_order() -> None:
    texts = pa.array([f"{number} " + "x" * 200 for number in range(20)])
    one = Extremes()
    other = Extremes()
    one.add(texts, np.ones(20))
    other.add(texts[::-1], np.ones(20))
    assert one.facts() == other.facts()
    assert all(len(str(example["text"])) == CHARACTERS for example in one.facts()["best"])


def test_nothing() -> None:
    assert Extremes().facts() == {"best": [], "worst": []}
