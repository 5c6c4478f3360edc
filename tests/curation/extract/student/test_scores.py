"""WordScores of bags of words."""

import pytest

from curation.extract.student.scores import WordScores, mean, score
from tests.support import table


@table(
    "text, truth, scores",
    {
        "the same": ("a b", "B A", (1, 1, 1)),
        "half": ("a b", "b c d", (0.4, 0.5, 1 / 3)),
        "words count as often as they stand": ("a a", "a", (2 / 3, 0.5, 1)),
        "nothing found": ("", "a", (0, 0, 0)),
        "nothing to find": ("a", "", (0, 0, 0)),
        "nothing at all": ("", "—", (1, 1, 1)),
    },
)
def test_score(text: str, truth: str, scores: tuple[float, ...]) -> None:
    assert score(text, truth) == pytest.approx(scores)


def test_mean() -> None:
    assert mean([WordScores(1, 1, 0), WordScores(0, 1, 1)]) == (0.5, 1, 0.5)
