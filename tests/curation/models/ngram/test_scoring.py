"""Scores are those of a slow look-up and of KenLM; measures by hand; models that lack n-grams are refused."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.ngram.arpa import read_arpa, write_arpa
from curation.models.ngram.estimate import BackoffModel
from curation.models.ngram.scoring import NgramScorer, Scores
from tests.curation.models.ngram.slow_model import corpora, model_of, orders, prose, slow_score, values_of
from tests.curation.text.texts import batches, sliced

unseen = st.lists(st.sampled_from(["a", "b", "c", "dd", "é", "new", "<s>", "</s>", "<unk>"]), min_size=1, max_size=8)


def scores_of(model: BackoffModel, *texts: str | None) -> Scores:
    return NgramScorer(model).score(pa.array(texts, pa.large_string()))


@given(corpora, orders, st.lists(unseen.map(" ".join), min_size=1, max_size=4))
def test_scores_are_those_of_a_slow_look_up(texts: list[str], order: int, lines: list[str]) -> None:
    model = model_of(texts, order)
    table = values_of(model)
    # Marks in a text are unknown words.
    plain = [" ".join("?" if word[0] == "<" else word for word in line.split()) for line in lines]
    scores = scores_of(model, "\n".join(lines))
    assert scores.logarithms.tolist() == pytest.approx([slow_score(table, order, line) for line in plain], abs=1e-5)
    assert scores.tokens.tolist() == [len(line.split()) + 1 for line in lines]


@given(batches)
def test_any_text_is_scored_alone_as_among_others(texts: list[str | None]) -> None:
    scorer = NgramScorer(model_of(["the cat\nthe a"], 2))
    array = sliced(texts)
    together = scorer.score(array)
    for row in range(len(texts)):
        alone = scorer.score(array.slice(row, 1))
        lines = slice(*together.first[row : row + 2])
        assert alone.logarithms.tolist() == together.logarithms[lines].tolist()
        assert alone.characters.tolist() == together.characters[lines].tolist()


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("least", [0, 1])
def test_kenlm_reads_the_file_and_agrees(order: int, least: int, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm")
    text = prose(2000)
    model = model_of([text], order, 0, least)
    path = tmp_path / "model.arpa"
    path.write_bytes(b"".join(write_arpa(model, {"normalization": "none"})))
    theirs = kenlm.Model(str(path))
    held_out = [line + " never seen" for line in prose(2300).split("\n")[2000:]]
    expected = [sum(part for part, _, _ in theirs.full_scores(line)) for line in held_out]
    ours = NgramScorer(read_arpa(path.read_bytes())).score(pa.array(["\n".join(held_out)], pa.large_string()))
    assert theirs.order == order
    assert ours.logarithms.tolist() == pytest.approx(expected, abs=1e-4)
    assert [theirs.score(line) for line in held_out] == pytest.approx(expected, abs=1e-4)


def test_lines_of_any_length_in_any_piece() -> None:
    """More tokens than are looked up together, so that n-grams and lines go on from one piece into the next."""
    model = model_of([prose(300)], 4)
    line = " ".join(prose(400).split())
    table = values_of(model)
    scores = scores_of(model, f"a\n{line}\n{line} b")
    expected = [slow_score(table, 4, text) for text in ("a", line, f"{line} b")]
    assert scores.logarithms.tolist() == pytest.approx(expected, rel=1e-6)


def test_measures_by_hand() -> None:
    scores = Scores(
        np.array([-2.0, -6.0, -1.0, -9.0]),
        np.array([2, 3, 1, 3]),
        np.array([10, 12, 2, 9]),
        np.array([0, 3, 3, 4]),
    )
    measures = scores.measures(least=2)
    bits = math.log2(10)
    assert measures[:, 0].tolist() == pytest.approx([10 ** (9 / 6), 9 / 24 * bits, 10**2, 6 / 12 * bits])
    assert np.isnan(measures[:, 1]).all()
    assert measures[:, 2].tolist() == pytest.approx([1000, bits, 1000, bits])
    without = scores.measures(least=4)
    assert np.array_equal(without[2:], without[:2], equal_nan=True)


def test_characters_are_those_of_tokens() -> None:
    scores = scores_of(model_of(["a"], 2), " äb  c\t\n\n中\n", None, "a")
    assert scores.characters.tolist() == [3, 1, 1]
    assert scores.tokens.tolist() == [3, 2, 2]
    assert scores.first.tolist() == [0, 2, 2, 3]


def test_a_model_that_lacks_a_shorter_ngram_is_refused() -> None:
    model = model_of(["a b c\nb c a"], 3)
    for row in ([3, 4, 5], [5, 4, 5]):  # "c b a" and "c b c": there is neither "b a" nor "c b"
        longer = np.concatenate([model.rows[2], np.array([row], np.uint32)])
        more = [
            np.concatenate([values[2], np.zeros(1, np.float32)]) for values in (model.probabilities, model.backoffs)
        ]
        broken = BackoffModel(
            model.words,
            (*model.rows[:2], longer),
            (*model.probabilities[:2], more[0]),
            (*model.backoffs[:2], more[1]),
        )
        with pytest.raises(ValueError, match=r"has the n-gram 'c b .' but not all shorter ones"):
            NgramScorer(broken)
