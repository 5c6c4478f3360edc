"""Rubrics: what is shown of a document, what an answer says, and mistakes in a file."""

import re
from dataclasses import replace

import pytest

from curation.account.annotate.rubric import Rubric, parse_rubric
from curation.core.errors import RecipeError
from pipelines.api import read_rubric
from tests.curation.account.annotate.examples import RUBRIC

FILE = "name: short\nversion: 1\nscore: 'Score: ([0-5])'\nprompt: 'Rate {text}'\n"


def cut(text: str, **options: float) -> str:
    return replace(RUBRIC, max_characters=10, **options).shown(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        pytest.param("0123456789", {}, "0123456789", id="as long as may be"),
        pytest.param("abcdefghijklmnopqrstuvwxyz", {}, "abcde\n[…]\nmn\n[…]\nyz", id="half, a quarter, a quarter"),
        pytest.param("abcdefghijk", {}, "abcde\n[…]\nfg\n[…]\njk", id="one too many: no character twice"),
        pytest.param("abcdefghijklmnopqrstuvwxyz", {"head": 1, "middle": 0, "tail": 0}, "abcdefghij", id="head"),
        pytest.param("abcdefghijklmnopqrstuvwxyz", {"head": 0, "middle": 1, "tail": 0}, "ijklmnopqr", id="middle"),
        pytest.param("abcdefghijklmnopqrstuvwxyz", {"head": 0, "middle": 0, "tail": 1}, "qrstuvwxyz", id="tail"),
    ],
)
def test_what_is_shown(text: str, options: dict[str, float], expected: str) -> None:
    assert cut(text, **options) == expected


def test_messages_take_braces_as_they_are() -> None:
    rubric = Rubric(name="b", version=1, prompt='{"x": 1}\n{text}', score="([0-5])", system="Judge.")
    assert rubric.messages("{text} {0} {y}") == [
        {"role": "system", "content": "Judge."},
        {"role": "user", "content": '{"x": 1}\n{text} {0} {y}'},
    ]
    assert rubric.messages("a", again=True)[-1]["content"] == f'{{"x": 1}}\na\n\n{rubric.reminder}'


@pytest.mark.parametrize("name", ["educational", "mathematics"])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("It explains.\nScore: 4", (4, "It explains."), id="as asked for"),
        pytest.param("Score: 0", (0, ""), id="only a score"),
        pytest.param("Good.\n\n**Score:** 3/5", (3, "Good.\n\n** /5"), id="bold, of five"),
        pytest.param("score 2.", (2, "."), id="a full stop"),
        pytest.param("Score: 1, I thought.\nThen again, Score: 2", (2, "Score: 1, I thought.\nThen again,"), id="last"),
        pytest.param("Score: 3.5", None, id="a fraction"),
        pytest.param("Score: 10", None, id="ten"),
        pytest.param("Score: 6", None, id="six"),
        pytest.param("Score: -1", None, id="negative"),
        pytest.param("Score: N", None, id="no number"),
        pytest.param("I give it 3 points.", None, id="another form"),
        pytest.param("", None, id="empty"),
    ],
)
def test_shipped_rubrics_read_answers(name: str, answer: str, expected: tuple[int, str] | None) -> None:
    assert read_rubric(name).read(answer) == expected


@pytest.mark.parametrize("name", ["educational", "mathematics"])
def test_shipped_rubrics(name: str) -> None:
    rubric = read_rubric(name)
    assert rubric.name == name
    assert "<document>\nabc\n</document>" in rubric.messages("abc")[-1]["content"]
    points = re.findall(r"^(\d)\.", rubric.prompt, re.MULTILINE)
    assert points == ["1", "2", "3", "4", "5"]
    assert "5" in rubric.reminder


def test_a_score_out_of_range_is_none() -> None:
    assert parse_rubric(FILE.replace("[0-5]", r"\d+"), "r.yaml").read("Score: 7") is None
    assert parse_rubric(FILE.replace("[0-5]", r"\w+"), "r.yaml").read("Score: five") is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("{text}", "it"), "r.yaml:4: prompt must have {text} once"),
        (("{text}", "{text} {text}"), "prompt must have {text} once"),
        (("([0-5])", "[0-5]"), "r.yaml:3: score has 0 groups; it needs one"),
        (("([0-5])", "([0-5]"), "r.yaml:3: score is not a regular expression"),
        (("version: 1", "version: 1\nhead: 0.9"), "they must be 0 or more and add up to 1"),
        (("version: 1", "version: 1\nlowest: 5"), "r.yaml:3: lowest is 5; it must be below highest"),
        (("version: 1", "version: 1\nmax_characters: 0"), "max_characters is 0; it must be at least 1"),
        (("version: 1", "version: 1\nmax_character: 5"), "did you mean 'max_characters'?"),
        (("version: 1", "version: one"), "r.yaml:2: version: expected a whole number"),
    ],
)
def test_a_mistake_in_a_file(change: tuple[str, str], message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        parse_rubric(FILE.replace(*change), "r.yaml")


def test_identity_is_what_the_model_sees() -> None:
    same = replace(RUBRIC, name="other", version=2, score="([0-5])")
    assert same.identity() == RUBRIC.identity()
    assert replace(RUBRIC, max_characters=5).identity() != RUBRIC.identity()
