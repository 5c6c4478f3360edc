"""Characters and newlines against len() and str.count()."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.text.sizes import characters_of_spans, count_characters, count_newlines
from tests.curation.text.texts import as_text, batches, long_batches, sliced


@given(st.one_of(batches, long_batches))
def test_texts(values: list[str | None]) -> None:
    assert count_characters(sliced(values)).tolist() == [len(value or "") for value in values]
    assert count_newlines(sliced(values)).tolist() == [(value or "").count("\n") for value in values]


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_spans(text: str, start: int, stop: int) -> None:
    bounds = [len(text[:at].encode()) for at in sorted((start, stop))]
    counted = characters_of_spans(np.frombuffer(text.encode(), np.uint8), *(np.array([at]) for at in bounds))
    assert counted.tolist() == [len(text[min(start, stop) : max(start, stop)])]


def test_bytes_that_continue_no_character_are_not_counted() -> None:
    assert count_characters(as_text([b"a\x80\x80", b"\xe2\x80", b"\xff\xfe"])).tolist() == [1, 1, 2]
