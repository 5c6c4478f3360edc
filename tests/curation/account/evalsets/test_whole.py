"""Questions word for word, and answers close after them."""

import pyarrow as pa
import pytest

from curation.account.evalsets.whole import NEAR, forms, held

GAP = " gap" * NEAR
ASKED = b"who was it "
SAID = b"it was one of us "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("Who was it? It was one of us.", (True, True), id="both"),
        pytest.param("Who was it?", (True, False), id="the question"),
        pytest.param("It was one of us. Who was it?", (True, False), id="the answer before it"),
        pytest.param("who was italic", (False, False), id="the beginning of another word"),
        pytest.param("somewho was it", (False, False), id="the end of another word"),
        pytest.param(f"who was it{GAP} it was one of us", (True, True), id="an answer after 50 tokens"),
        pytest.param(f"who was it{GAP} gap it was one of us", (True, False), id="an answer after 51 tokens"),
        pytest.param(f"who was it{GAP} gap who was it it was one of us", (True, True), id="asked twice"),
        pytest.param("", (False, False), id="an empty text"),
    ],
)
def test_held(text: str, found: tuple[bool, bool]) -> None:
    assert held(forms(pa.array([text], pa.large_string()))[0], ASKED, SAID) == found


def test_a_short_answer_and_no_question_tell_nothing() -> None:
    (form,) = forms(pa.array(["who was it one two three"], pa.large_string()))
    assert held(form, ASKED, b"one two three ") == (True, False)
    assert held(form, b"", b"it ") == (False, False)
