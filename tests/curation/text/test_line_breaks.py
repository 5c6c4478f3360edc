"""Lines against str.splitlines()."""

from hypothesis import given
from hypothesis import strategies as st

from curation.text.line_breaks import split_lines
from tests.curation.text.test_spans import strings
from tests.curation.text.texts import as_text, batches, garbage, long_batches, sliced

broken = st.lists(st.text(st.sampled_from("a\r\n\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029é"), max_size=20), max_size=4)


@given(st.one_of(batches, long_batches, broken))
def test_lines(values: list[str | None]) -> None:
    assert strings(split_lines(sliced(values))) == [(value or "").splitlines() for value in values]


@given(garbage)
def test_bytes_that_are_no_text_are_kept(contents: list[bytes]) -> None:
    lines = split_lines(as_text(contents))
    assert (lines.starts <= lines.stops).all()
    assert lines.count().sum() == len(lines.starts)
