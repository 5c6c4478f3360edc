"""A function becomes a filter by one line: its limits, its key, its answers; and what cannot be one."""

from typing import Any

import numpy as np
import pytest

from curation.core import catalog, function_filter
from curation.core.errors import UserError
from curation.core.verbs import FILTER


@function_filter.filter
def without_spam(text: str) -> bool:
    """Keeps texts without spam."""
    return "spam" not in text


@function_filter.filter(min_value=0.1, max_value=0.5)
def questions(text: str) -> float:
    return text.count("?") / len(text.split())


@function_filter.filter
def length(text: str) -> int:
    return len(text)


def test_true_keeps() -> None:
    kept, dropped = without_spam(["ham", "spam"])
    assert (kept.kept, kept.reason, kept.signals) == (True, None, {"value": 1})
    assert (dropped.kept, dropped.reason, dropped.signals) == (False, "without_spam.value:low", {"value": 0})


def test_a_number_between_its_limits() -> None:
    verdicts = questions(["a b? c d e", "a b c d e f g h i? j", "a b c d e f g h i j k?", "a? b", "a? b?"])
    assert [one.reason for one in verdicts] == [
        None,
        None,
        "questions.value:low",
        None,
        "questions.value:high",
    ]


def test_a_number_without_limits_only_measures() -> None:
    assert length("four").kept
    assert length("four").signals == {"value": 4.0}


def test_answers_of_numpy() -> None:
    has_question = function_filter.filter(lambda text: np.array(["?" in text]).any(), name="has_question")
    share = function_filter.filter(lambda text: np.float32(text.count("?") / 4), name="share", max_value=0.2)
    assert [one.kept for one in has_question(["a?", "a"])] == [True, False]
    assert [one.signals for one in share(["a?", "a"])] == [{"value": 0.25}, {"value": 0.0}]


def test_a_name_for_a_lambda() -> None:
    short = function_filter.filter(lambda text: len(text) < 5, name="short")
    assert [one.reason for one in short(["four", "fives"])] == [None, "short.value:low"]
    assert catalog.adopt(type(short)) == "short"
    assert catalog.find(FILTER, "short") is type(short)
    assert catalog.package_of("short").startswith("code ")


def test_an_error_drops_its_document_alone() -> None:
    reasons = [one.reason for one in questions(["a b? c d e", ""])]
    assert reasons == [None, "error.questions.ZeroDivisionError"]


@pytest.mark.parametrize(
    ("function", "name", "message"),
    [
        pytest.param(lambda text: True, "", "'<lambda>' cannot name a column; give the filter a name", id="a lambda"),
        pytest.param(lambda text: True, "my filter", "'my filter' cannot name a column", id="a name with a space"),
        pytest.param(3, "three", "3 is no function", id="no function"),
    ],
)
def test_what_cannot_be_a_filter(function: Any, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        function_filter.filter(function, name=name)


def test_an_answer_that_is_none() -> None:
    wrong = function_filter.filter(lambda text: "yes", name="wrong")  # type: ignore[arg-type, return-value]
    with pytest.raises(UserError, match="wrong answers 'yes' of a text; let it answer True or False"):
        wrong("a text")


def test_the_key_of_another_component() -> None:
    taken = function_filter.filter(lambda text: True, name="gopher_quality")
    with pytest.raises(UserError, match="gopher_quality has the key of another component, gopher_quality; rename it"):
        catalog.adopt(type(taken))
