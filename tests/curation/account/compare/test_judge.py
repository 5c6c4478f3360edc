"""The n-gram judge: bits by hand, and a distribution over the whole vocabulary."""

import math

import numpy as np
import pyarrow as pa
import pytest

from curation.account.compare.judge import NgramJudge
from curation.tokens.token_files import Vocabulary
from tests.curation.models.ngram.slow_model import mass, slow_score, values_of

END = 0
PADDING = 1
VOCABULARY = Vocabulary(size=6, end_of_text=END, padding=PADDING, tokenizer="")  # tokens 2 to 5, and the ends
TEXT = np.array([2, 3, 2, END, 2, 4, END], np.uint16)


def judge(*documents: list[int], order: int) -> NgramJudge:
    return NgramJudge(pa.array([[*ids, END] for ids in documents], pa.large_list(pa.uint16())), VOCABULARY, order)


def test_bits_of_unigrams_by_hand() -> None:
    """Counts 2: 3, 3: 1, 4: 1, end: 2, in all 7. Two counts of 1 and one each of 2 and 3 give Y = 2 / (2 + 2 * 1) and
    the discounts 1 - 2 Y / 2 = 0.5, 2 - 3 Y = 0.5 and 3 - 0 = 3. So 2 * 0.5 + 0.5 + 3 of 7 goes to the uniform
    distribution over the 4 tokens, the end and the unknown word. It is all that the token 5 has, which never occurs."""
    rest = 4.5 / 7 / 6
    two = 0 / 7 + rest
    three = 0.5 / 7 + rest
    five = rest
    end = 1.5 / 7 + rest
    expected = [-math.log2(two * three * end), -math.log2(five * five * end)]
    found = judge([2, 3], [5, 5], order=1).bits(TEXT, seed=0)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_probabilities_over_the_vocabulary_sum_to_1(order: int) -> None:
    model = judge([2], order=order).learned(TEXT)
    table = values_of(model)
    assert {gram[0] for gram in table if len(gram) == 1} == {"<unk>", "<s>", "</s>", "2", "3", "4", "5"}
    for context in ((), ("2",), ("5",), ("<s>", "2"), ("3", "2"), ("2", "3", "2", "5")):
        assert mass(table, context[: order - 1]) == pytest.approx(1, abs=1e-6)


def test_bits_are_those_of_the_model_in_plain_python() -> None:
    judged = judge([2, 3, 2], [4, 5, 3, 3], [5], order=3)
    table = values_of(judged.learned(TEXT))
    expected = [-slow_score(table, 3, line) * math.log2(10) for line in ("2 3 2", "4 5 3 3", "5")]
    assert judged.bits(TEXT, seed=0) == pytest.approx(expected, rel=1e-6)


def test_a_cut_document_is_learned_from() -> None:
    judged = judge([2, 3], order=2)
    assert np.isfinite(judged.bits(TEXT[:2], seed=0)).all()
