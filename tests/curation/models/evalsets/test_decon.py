"""Scores, worked out by hand from the published weights; every n-gram of the sets here is as rare as any other."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.models.evalsets.decon import SIZE, scores
from curation.models.evalsets.overlaps import shared
from curation.models.evalsets.scan import find_grams
from tests.curation.models.evalsets import indexed

QUESTION = " ".join(f"q{n}x" for n in range(50))  # 46 n-grams, and more than 50 tokens with its answer
ANSWER = " ".join(f"a{n}x" for n in range(10))  # 8 n-grams of 3


def score(folder: Path, text: str, **item: str) -> float:
    index = indexed(folder, {"own": [item]}, (SIZE,))
    texts = pa.array([text], pa.large_string())
    hits = find_grams(texts, index.lookup(SIZE))
    found = shared(hits, index)
    return float(scores(hits, found, index, texts)[0]) if len(found.row) else 0.0


def first(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(f"{QUESTION} {ANSWER}", 1.0, id="all"),
        pytest.param(f"{ANSWER}: {QUESTION}", 1.0, id="the answer before"),
        pytest.param(f"{QUESTION} {first(ANSWER, 6)}", 0.75 + 0.25 * 4 / 8, id="half of the answer"),
        pytest.param(f"{first(QUESTION, 49)} {ANSWER}", 0.75 * 45 / 46 + 0.25, id="a word less of the question"),
        pytest.param(f"{first(QUESTION, 20)} {ANSWER}", 0.0, id="too little of the question for any answer"),
        pytest.param(f"{QUESTION} {'no ' * 100} {ANSWER}", 0.75, id="an answer 100 words away"),
    ],
)
def test_question_and_answer(tmp_path: Path, text: str, value: float) -> None:
    assert score(tmp_path, text, question=QUESTION, answer=ANSWER) == pytest.approx(value)


def test_a_short_answer_stands_exactly(tmp_path: Path) -> None:
    item = {"question": QUESTION, "answer": "the year 1889"}
    assert score(tmp_path, f"{QUESTION} It was in THE year 1889.", **item) == pytest.approx(1.0)
    assert score(tmp_path, f"{QUESTION} It was in the year 1888.", **item) == pytest.approx(0.75)


def test_a_cluster_ends_after_eleven_misses(tmp_path: Path) -> None:
    left = " ".join(QUESTION.split()[:25])
    right = " ".join(QUESTION.split()[25:])
    # Between the last n-gram of the left half and the first of the right one, 4 more n-grams begin than words stand.
    assert score(tmp_path, f"{left} {'no ' * 7} {right}", question=QUESTION) == pytest.approx((21 + 21) / 46)
    assert score(tmp_path, f"{left} {'no ' * 8} {right}", question=QUESTION) == 0.0


@pytest.mark.parametrize(
    ("tokens", "missing", "value"),
    [
        pytest.param(19, 0, 0.0, id="19 tokens are not checked"),
        pytest.param(20, 0, 1.0, id="20 tokens, all"),
        pytest.param(20, 1, 0.0, id="20 tokens but one"),
        pytest.param(35, 1, 1 - (1 / 31) * 2, id="35 tokens need 0.9"),
    ],
)
def test_short_items(tmp_path: Path, tokens: int, missing: int, value: float) -> None:
    question = first(QUESTION, tokens)
    assert score(tmp_path, first(question, tokens - missing), question=question) == pytest.approx(value)
