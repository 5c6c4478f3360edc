"""Normal forms against unicodedata."""

import unicodedata
from typing import get_args

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.line_edits import replaced
from curation.text.edits.mark_order import Form
from curation.text.edits.normal_forms import normalized_lines, unnormal_lines
from tests.curation.text.texts import sliced

FORMS = get_args(Form)
# Unassigned characters of the running Python may be assigned in Arrow's tables.
odd = st.sampled_from("é\u0301\u0323e각각\u09c7\u09be\u0958ﬁ²…Ａ\u212b\u2126\uf900\U0001d15e\n ")
assigned = st.characters(exclude_categories=("Cs", "Cn"))
batches = st.lists(st.one_of(st.none(), st.text(st.one_of(odd, assigned), max_size=20)), max_size=5)


@pytest.mark.parametrize("form", FORMS)
@given(values=batches)
def test_texts_come_into_the_form(form: Form, values: list[str | None]) -> None:
    text = sliced(values)
    lines = unnormal_lines(text, form)
    expected = [unicodedata.normalize(form, value or "") for value in values]
    assert replaced(text, lines, normalized_lines(lines, form)).to_pylist() == expected


@pytest.mark.parametrize("form", FORMS)
def test_every_character_that_a_form_changes_is_found(form: Form) -> None:
    chars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    changed = [char for char in chars if unicodedata.normalize(form, char) != char]
    assert len(changed) > 1000
    assert unnormal_lines(pa.array(changed, pa.large_string()), form).count().all()


def test_what_is_in_the_form_is_passed_over() -> None:
    text = pa.array(["Größe, naïve café — 中文 각 русский\nplain"])
    assert unnormal_lines(text, "NFC").count().tolist() == [0]
