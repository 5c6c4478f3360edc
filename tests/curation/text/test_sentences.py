"""Sentences by hand and against plain Python."""

import re
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels import unicode
from curation.text.sentences import sentence_spans
from tests.curation.text.test_spans import strings
from tests.curation.text.texts import batches, long_batches, sliced, trimmed

# In Python, by the table that `test_unicode.py` checks.
CODES = [code for code in range(0x20000) if not 0xD800 <= code < 0xE000]
FLAGS = {code: int(unicode.class_of(unicode.classes(), np.int64(code))) for code in CODES}
TERMINAL = re.escape("".join(chr(code) for code in CODES if FLAGS[code] & unicode.TERMINAL))
CLOSING = re.escape("".join(chr(code) for code in CODES if FLAGS[code] & unicode.CLOSING))
MARKS = re.compile(f"[{TERMINAL}][{TERMINAL}{CLOSING}]*")
WIDE = set("\u3002\uff01\uff0e\uff1f\uff61")

marked = st.lists(
    st.text(st.sampled_from("ab .!?\n\"')»”。！।؟…\u2028\u3000中"), max_size=30), max_size=4
)  # dense with what the rule is about


def sentences_of(text: str) -> list[str]:
    ends = [at for at, char in enumerate(text) if char == "\n"]
    for run in MARKS.finditer(text):
        if run.end() == len(text) or text[run.end()].isspace() or WIDE & set(run.group()):
            ends.append(run.end())
    bounds = [0, *sorted(ends), len(text)]
    pieces = [trimmed(text[start:stop]) for start, stop in pairwise(bounds)]
    return [piece for piece in pieces if piece]


@given(st.one_of(batches, long_batches, marked))
def test_sentences(values: list[str | None]) -> None:
    assert strings(sentence_spans(sliced(values))) == [sentences_of(value or "") for value in values]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("One. Two? Three!", ["One.", "Two?", "Three!"], id="marks"),
        pytest.param("One\nTwo\n\nThree", ["One", "Two", "Three"], id="line breaks"),
        pytest.param("It is 3.5 at example.org today", ["It is 3.5 at example.org today"], id="marks within words"),
        pytest.param('He said "No." (So what?) Then', ['He said "No."', "(So what?)", "Then"], id="closing marks"),
        pytest.param("What?! Oh...", ["What?!", "Oh..."], id="several marks"),
        pytest.param("你好。再见！好", ["你好。", "再见！", "好"], id="Chinese needs no space"),
        pytest.param("क ख। ग घ॥ ङ", ["क ख।", "ग घ॥", "ङ"], id="danda"),
        pytest.param("كيف حالك؟ جيد", ["كيف حالك؟", "جيد"], id="Arabic question mark"),
        pytest.param(". . .", [".", ".", "."], id="marks alone"),
        pytest.param(" \n ", [], id="blank"),
    ],
)
def test_by_hand(text: str, sentences: list[str]) -> None:
    assert strings(sentence_spans(pa.array([text]))) == [sentences]
