"""Lines and paragraphs that occur more than once, by hand and against a Counter."""

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.duplicate_keys import count_keys, key_room
from curation.text.kernels.compiler.kernel import Out, kernel
from curation.text.kernels.hash_table import factor
from curation.text.kernels.hashing import Hashes
from curation.text.kernels.mix64 import GOLDEN
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


@kernel
def occurring_twice(keys: Hashes, by: np.uint64, found: Out[Hashes]) -> int:
    """Write those of the keys that occur twice or more, each as often as it does, and return how many they are."""
    room = key_room(keys.size, by)
    for k in range(keys.size):
        room.keys[k] = keys[k]
        room.places[k] = k
    kept = count_keys(room, keys.size)
    found[:kept] = room.keys[:kept]
    return kept


def test_a_million_keys_that_share_a_home_by_a_public_factor() -> None:
    """Each would pass all those before it: 10^12 steps."""
    inverse = np.uint64(pow(int(GOLDEN), -1, 1 << 64))
    keys = np.arange(1_000_000, dtype=np.uint64) * inverse
    keys[-1] = keys[7]
    found = np.empty(len(keys), np.uint64)
    assert occurring_twice(keys, factor(), found) == 2
    assert found[:2].tolist() == [keys[7]] * 2
