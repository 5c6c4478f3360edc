"""Long runs of marks in canonical order: the same normal forms as the library's, in linear time."""

import random
import unicodedata
from typing import get_args

import pyarrow as pa
import pytest

from curation.text.edits import mark_order
from curation.text.edits.mark_order import Form, normal_form, with_ordered_marks

CHARS = "a\u0301\u0323\u0344\u0f73\u0f71\uff9e\u3099é가ำ\u0300\u302a"


@pytest.mark.parametrize("form", get_args(Form))
def test_the_normal_form_stays(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mark_order, "LONG", 2)
    draw = random.Random(0)
    for _ in range(2000):
        text = "".join(draw.choices(CHARS, k=draw.randint(0, 12)))
        ordered = unicodedata.normalize(form, with_ordered_marks(text, form))
        assert ordered == unicodedata.normalize(form, text), ascii(text)


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\uff9e\u0301"])
def test_half_a_million_marks_take_no_longer(form: Form, marks: str) -> None:
    (found,) = normal_form(pa.array(["a" + marks * 250_000], pa.large_string()), form).to_pylist()
    assert unicodedata.is_normalized(form, found[:2])
    short = unicodedata.normalize(form, "a" + marks * 3)
    assert set(found) >= set(short) - {found[0]}


def test_short_runs_and_nothing() -> None:
    assert normal_form(pa.array(["e\u0301", None, ""], pa.large_string()), "NFC").to_pylist() == ["é", None, ""]
