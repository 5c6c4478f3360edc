"""Windows by hand: what they hold, what is left out, and where their characters are in bytes."""

import pyarrow as pa
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.buffers import text_buffers
from curation.text.patterns.anchors import anchor_runs
from curation.text.patterns.shape import shape_of
from curation.text.patterns.windows import JoinedWindows, whole_texts, windows_of

PATTERNS = [r"\b\d{3}[- ]?\d{2}\b", r"[ab]\d{2}[ab]?", r"\b[a-c]{1,2}\d{1,2}\b", r"\w+@\w+", r"(?<!\d)\d{2}\s+b(?!\w)"]
pieces = st.text(st.sampled_from("ab1234- \n@é٣文\0"), max_size=30)


def windows(pattern: str, *texts: str | None) -> JoinedWindows:
    data, offsets = text_buffers(pa.array(texts, pa.large_string()))
    shape = shape_of(pattern)
    assert shape is not None
    return windows_of(data, offsets, anchor_runs(data, offsets, shape.anchor), shape)


@pytest.mark.parametrize(
    ("pattern", "text", "held"),
    [
        pytest.param(r"\d{4}", "in 1999, 12 of 20000", "\0 1999,\0 20000\0", id="runs of enough digits"),
        pytest.param(r"\b\d{4}\b", "1999 or 20000", "\x001999 o\0", id="a longer run is no match"),
        pytest.param(r"\d{2}-\d{2}", "tel 12-34 and 12--34", "\0l 12-34 a\0", id="a wide gap"),
        pytest.param(r"\w+@\w+", "see a.b@c.d, e", "\0 a.b@c.d, e\0", id="up to whitespace"),
        pytest.param(r"\d{4}", "none", "\0", id="none"),
    ],
)
def test_held(pattern: str, text: str, held: str) -> None:
    found = windows(pattern, text).text
    assert all(part.strip("\0") in found for part in held.split("\0"))
    assert found.count("\0") == held.count("\0")


def test_places_are_bytes_of_the_buffer() -> None:
    found = windows(r"\d{2}", "ü 12", "文 34")
    assert found.place(found.text.index("34"), found.text.index("34") + 2) == (1, 9, 11)
    assert found.place(found.text.index("12"), found.text.index("12") + 2) == (0, 3, 5)


def test_bytes_that_are_no_utf8_count_one_each() -> None:
    data, offsets = text_buffers(pa.array([b"\xff\xfe 12 \xc3", b"34 \xe2\x80"], pa.large_binary()))
    found = whole_texts(data, offsets)
    assert found.place(found.text.index("34"), found.text.index("34") + 2) == (1, 7, 9)


@pytest.mark.parametrize("pattern", PATTERNS)
@given(texts=st.lists(pieces, min_size=1, max_size=4))
def test_a_pattern_finds_in_windows_what_it_finds_in_texts(pattern: str, texts: list[str]) -> None:
    compiled = regex.compile(pattern)
    found = windows(pattern, *texts)
    begins = [len("".join(texts[:k]).encode()) for k in range(len(texts))]
    expected = [
        (k, begins[k] + len(text[: match.start()].encode()), begins[k] + len(text[: match.end()].encode()))
        for k, text in enumerate(texts)
        for match in compiled.finditer(text)
    ]
    assert [found.place(*match.span()) for match in compiled.finditer(found.text)] == expected
