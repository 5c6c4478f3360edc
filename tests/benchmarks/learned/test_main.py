"""What the benchmark trains and tests on: two halves without copies, and the lines that both sides count."""

import hashlib
from pathlib import Path

import pyarrow as pa

from benchmarks.learned.perplexity import halves, lines_of, trained
from curation.models.ngram.estimate import estimate
from curation.models.ngram.model_file import load
from tests.curation.models.ngram.slow_model import prose, table_of, values_of

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


def test_our_model_is_that_of_all_text_however_it_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "model.arpa"
    texts = prose(3000).split("\n")
    model = trained(pa.array(texts, pa.large_string()), 2, (), file)
    assert values_of(model) == values_of(estimate([table_of(texts, 2)]))
    assert load(str(file)).score(pa.array(["x"])).tokens.tolist() == [2]
