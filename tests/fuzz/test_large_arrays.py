"""Texts and arrays of more than 2 GiB: no place is held in 32 bits, so what lies beyond is measured as it is alone."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.code.counts import count_code
from curation.text.counts import count_words
from curation.text.edits.characters import valid_utf8
from curation.text.phrases.occurrences import count_phrases
from curation.text.sizes import count_characters, count_newlines
from curation.text.spans import line_spans
from tests.peak_memory import peak_memory

LINE = b"the quick " + b"x" * 989 + b"\n"  # three words, 1,000 bytes
LINES = 2_300_000  # 2.3 GB, beyond 2^31 bytes
LAST = "the é\nlast text…"


def texts(lines_each: int, count: int) -> pa.Array:
    """large_string[count + 1]: so many texts of so many lines, and LAST."""
    data = np.empty(lines_each * count * len(LINE) + len(LAST.encode()), np.uint8)
    data[: -len(LAST.encode())].reshape(-1, len(LINE))[:] = np.frombuffer(LINE, np.uint8)
    data[-len(LAST.encode()) :] = np.frombuffer(LAST.encode(), np.uint8)
    ends = np.array([*(lines_each * len(LINE) * np.arange(count + 1)), len(data)], np.int64)
    return pa.LargeStringArray.from_buffers(count + 1, pa.py_buffer(ends), pa.py_buffer(data))


def measure(lines_each: int, count: int) -> list[list[int]]:
    text = texts(lines_each, count)
    made, repaired = valid_utf8(text)
    assert made[count].as_py() == LAST
    assert not repaired.any()
    del made
    measured = (
        count_characters(text),
        count_newlines(text),
        count_words(text).words,
        count_code(text).longest_line,
        count_phrases(text, ["quick", "last"]),
        line_spans(text).count(),
    )
    return [values.tolist() for values in measured]


@pytest.mark.soak
@pytest.mark.parametrize("count", [1, 46], ids=["one text of 2.3 GB", "46 texts of 50 MB"])
def test_more_than_2_gibibytes(count: int) -> None:
    each = LINES // count
    peak, measured = peak_memory(measure, each, count)
    print(count, "texts:", peak, "MB")
    assert measured == [
        [each * 1000] * count + [16],
        [each] * count + [1],
        [each * 3] * count + [4],
        [999] * count + [10],
        [each] * count + [1],
        [each] * count + [2],
    ]
