"""What the benchmark trains and tests on: two halves without copies, and the lines that both sides count."""

import hashlib

import pyarrow as pa

from benchmarks.learned.perplexity import halves, lines_of
from tests.curation.models.ngram.slow_model import prose

BOOK = prose(400)


def test_copies_are_left_out_and_halves_are_fixed() -> None:
    others = [f"another text {number}" for number in range(20)]
    edition = "A new preface.\n" + BOOK.replace("\n", " \n\n").upper()
    training, held_out = halves([BOOK, *others, edition])
    assert set(training.to_pylist()) | set(held_out.to_pylist()) == {BOOK, *others}
    assert all(hashlib.sha1(text.encode()).digest()[0] % 2 == 0 for text in training.to_pylist())
    assert held_out


def test_lines_that_are_not_blank() -> None:
    assert lines_of(pa.array(["a b\n\n c\n", " "], pa.large_string())) == [b"a b", b" c"]
