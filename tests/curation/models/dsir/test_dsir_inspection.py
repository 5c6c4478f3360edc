"""What is told of n-gram counts: how far two sides lie apart, and which n-grams of documents weigh most."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.dsir.dsir_inspection import inspect, is_dsir
from curation.models.dsir.features import count
from curation.models.dsir.importance import SMOOTHING, NgramCounts

BUCKETS = 1 << 16
TARGET = "a good book. a good book."
RAW = "a bad page. a bad page. a bad page."


@pytest.fixture
def counts(tmp_path: Path) -> str:
    sides = (count(pa.array([text]), order=2, buckets=BUCKETS).astype(np.uint64) for text in (TARGET, RAW))
    path = tmp_path / "dsir.bin"
    path.write_bytes(NgramCounts(2, *sides).to_bytes())
    return str(path)


def test_the_counts_alone(counts: str) -> None:
    facts = inspect(counts, [])
    assert (facts["kind"], facts["order"], facts["buckets"]) == ("dsir", 2, BUCKETS)
    # a good book . : 4 words, twice, and 7 pairs of neighbours
    assert facts["target"]["ngrams"] == 8 + 7
    assert facts["raw"]["ngrams"] == 12 + 11
    assert facts["target"]["buckets"] == facts["raw"]["buckets"] == 8  # words, and the pairs "a x", "x y", "y .", ". a"
    assert facts["target"]["mean_log_ratio"] > 0 > facts["raw"]["mean_log_ratio"]
    assert facts["log_ratios"]["100"] == pytest.approx(math.log((2 / 15 + SMOOTHING) / SMOOTHING))
    assert "scores" not in facts


def test_documents(counts: str) -> None:
    scores = inspect(counts, [pa.array(["A good book", "", None]), pa.array(["a bad page"])])["scores"]
    assert (scores["documents"], scores["unscored"], scores["likelier_in_target"]) == (4, 2, 0.5)
    common = math.log((2 / 15 + SMOOTHING) / (3 / 23 + SMOOTHING))  # of "a", on both sides
    only = math.log((2 / 15 + SMOOTHING) / SMOOTHING)
    assert scores["log_weight"]["100"] == pytest.approx(common + 4 * only)  # good, book, a good, good book
    assert scores["log_weight_per_word"]["100"] == pytest.approx((common + 4 * only) / 3)
    assert [one["text"] for one in scores["best"]] == ["A good book", "a bad page"]
    named = {one["ngram"]: (one["log_ratio"], one["occurrences"]) for one in scores["ngrams"]["target"]}
    assert set(named) == {"good", "book", "a good", "good book", "a"}
    assert named["a good"] == (pytest.approx(only), 1)
    assert named["a"] == (pytest.approx(common), 2)
    assert {one["ngram"] for one in scores["ngrams"]["raw"]} == {"bad", "page", "a bad", "bad page"}


def test_documents_without_words(counts: str) -> None:
    assert "scores" not in inspect(counts, [pa.array(["", None])])


def test_another_file_and_a_damaged_one(tmp_path: Path, counts: str) -> None:
    assert is_dsir(counts)
    (tmp_path / "other").write_bytes(b"unigrams")
    assert not is_dsir(str(tmp_path / "other"))
    content = Path(counts).read_bytes()
    Path(counts).write_bytes(content[:-8])
    with pytest.raises(InputError, match=r"dsir\.bin holds no n-gram counts of `fit: \{dsir: …\}`"):
        inspect(counts, [])
