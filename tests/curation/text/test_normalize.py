"""The normal form of exact dedup against plain Python."""

import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.kernels.buffers import text_buffers
from curation.text.normalize import normalized
from tests.curation.text.texts import as_text, batches, garbage, sliced


@given(batches)
def test_normal_form(values: list[str | None]) -> None:
    expected = [" ".join("".join(char.lower()[0] for char in value or "").split()) for value in values]
    assert normalized(sliced(values)).to_pylist() == expected


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  One\u3000TWO\n\nthree ", "one two three"),
        ("ȺȺȺ", "ⱥⱥⱥ"),  # longer in lower case
        ("İ", "i"),
        ("e\u0301", "e\u0301"),
        ("Nr. 1!", "nr. 1!"),
        (" \u2028\x85", ""),
    ],
)
def test_by_hand(text: str, normal: str) -> None:
    assert normalized(pa.array([text])).to_pylist() == [normal]


@given(garbage)
def test_bytes_that_are_no_text_stay(contents: list[bytes]) -> None:
    data, offsets = text_buffers(normalized(as_text(contents)))
    assert offsets[-1] == len(data)
    assert normalized(as_text([b"A\xff\xe2B"])).view(pa.large_binary()).to_pylist() == [b"a\xff\xe2b"]
