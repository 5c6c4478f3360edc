"""Lines and paragraphs that occur more than once, by hand and against a Counter."""

from collections import Counter

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.repeats import count_repeats
from curation.text.spans import paragraph_spans, pieces
from tests.curation.text.texts import sliced

# Also ones that differ in their middle only: what is compared first are eight bytes at each end.
lines = st.lists(
    st.sampled_from(["", "a", "b", "é", "中文", "12345678x12345678", "12345678y12345678", "12345678y12345678 "]),
    max_size=20,
)


@given(st.lists(lines, max_size=4))
def test_repeats(documents: list[list[str]]) -> None:
    spans = pieces(sliced(["\n".join(one) for one in documents]), least=1, most=1, stripped=False, blank=True)
    found = count_repeats(spans)
    for document, one in enumerate("\n".join(one).split("\n") for one in documents):
        counts = Counter(one)
        copies = [line for line in one if counts[line] > 1]
        later = [line for at, line in enumerate(one) if line in one[:at]]
        assert found.copies[document] == len(copies)
        assert found.copy_characters[document] == sum(map(len, copies))
        assert found.later[document] == len(later)
        assert found.later_characters[document] == sum(map(len, later))


def test_paragraphs_by_hand() -> None:
    found = count_repeats(paragraph_spans(pa.array(["a\nb\n\na\n\na\nb\n \na"])))
    assert (found.later[0], found.later_characters[0]) == (2, 4)
    assert (found.copies[0], found.copy_characters[0]) == (4, 8)
