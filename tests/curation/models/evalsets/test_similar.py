"""Which pieces are compared, and the closest question of each."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.models.evalsets.similar import load_similar
from tests.curation.models.evalsets import index_file

LINE = "A line of more than forty characters about {} and no more."

ASKED = ["Eggs?", *(f"What is there to say about {word} today? And then?" for word in ("hens", "eggs", "ships"))]


def test_lines_and_paragraphs_of_forty_characters(tmp_path: Path) -> None:
    vectors = tmp_path / "words.vec"
    vectors.write_text("hens 1 0\neggs 0 1\n")
    items = {"own": [{"question": question} for question in ASKED]}
    path = index_file(tmp_path, items)
    text = f"hens\n\n{LINE.format('eggs')}\n{LINE.format('hens')}\n\n{LINE.format('ships')}"
    near = load_similar(path, "word_vectors", str(vectors)).closest(pa.array(["", text], pa.large_string()))
    assert near.row.tolist() == [1, 1, 1]
    found = [(text[a:b].count("\n"), int(item)) for a, b, item in zip(near.start, near.stop, near.item, strict=True)]
    assert sorted(found) == [(0, 1), (0, 2), (1, 1)]  # never the question of one word
    assert sorted(near.cosine.tolist()) == pytest.approx([0.5**0.5, 1, 1])
