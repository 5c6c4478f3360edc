"""Hashed n-grams: what a text's features are, how they are learned, and that neighbours do not matter."""

import numpy as np
import pyarrow as pa
import pytest

from curation.models.classifier.logistic import FIRST_SQUARES, check, probabilities, train
from tests.curation.models.classifier.examples import BAD, GOOD, texts
from tests.support import table

SETTINGS = {"ngrams": 2, "buckets": 1 << 16, "seed": 3}


def array(*values: str | None) -> pa.Array:
    return pa.array(values, pa.large_string())


def learned(values: list[str], positive: list[bool], **settings: float) -> np.ndarray:
    options = {**SETTINGS, "epochs": 1, "rate": 1.0, **settings}
    return train(array(*values), np.array(positive), **options)  # type: ignore[arg-type]


def test_one_step_by_hand() -> None:
    # A word and its end: "a b" has the n-grams a, b, "a b". The gradient of the logit is 0.5 - 1, of each weight
    # -0.5 / sqrt(3), whose square is 1 / 12.
    weights = learned(["a b"], [True])
    moved = np.flatnonzero(weights[:-1])
    assert len(moved) == 3
    assert weights[moved] == pytest.approx([0.5 / 3**0.5 / (FIRST_SQUARES + 1 / 12) ** 0.5] * 3, rel=1e-6)
    assert weights[-1] == pytest.approx(0.5 / (FIRST_SQUARES + 0.25) ** 0.5, rel=1e-6)
    logit = weights[-1] + weights[moved].sum() / 3**0.5
    assert probabilities(array("A\n b"), weights, **SETTINGS)[0] == pytest.approx(1 / (1 + np.exp(-logit)))


def test_only_n_grams_of_the_given_lengths_count() -> None:
    assert np.count_nonzero(learned(["a b c d"], [True], ngrams=1)[:-1]) == 4
    assert np.count_nonzero(learned(["a b c d"], [True], ngrams=3)[:-1]) == 4 + 3 + 2


def test_the_order_of_words_matters_with_two() -> None:
    weights = learned(["a b"], [True])
    one, other = probabilities(array("a b", "b a"), weights, **SETTINGS)
    assert one > other > 0.5


def test_it_tells_the_classes_apart() -> None:
    values = [text for both in zip(texts(GOOD, 60), texts(BAD, 60), strict=True) for text in both]
    weights = learned(values, [True, False] * 60, epochs=3)
    scores = probabilities(array(*texts(GOOD, 90)[60:], *texts(BAD, 90)[60:]), weights, **SETTINGS)
    assert scores[:30].min() > 0.9
    assert scores[30:].max() < 0.1


def test_the_same_texts_give_the_same_weights_and_another_seed_others() -> None:
    values = texts(GOOD, 9) + texts(BAD, 9)
    positive = [True] * 9 + [False] * 9
    assert learned(values, positive).tobytes() == learned(values, positive).tobytes()
    assert learned(values, positive).tobytes() != learned(values, positive, seed=4).tobytes()


def test_a_text_without_words_has_no_score_and_teaches_nothing() -> None:
    assert not learned(["", " \n"], [True, False]).any()
    weights = learned([GOOD], [True])
    assert np.isnan(probabilities(array("", None, "\t "), weights, **SETTINGS)).all()


def test_a_long_text_is_read_whole_and_alone_as_among_others() -> None:
    long = " ".join(f"{word}{n}" for n in range(700) for word in ("w", "v"))
    weights = learned([long, BAD], [True, False], epochs=2)
    assert 2700 < np.count_nonzero(weights[:-1]) <= 1400 + 1399 + 17
    together = probabilities(array(BAD, long, "w1 v1", None), weights, **SETTINGS)
    assert [probabilities(array(text), weights, **SETTINGS)[0] for text in (BAD, long, "w1 v1")] == together[
        :3
    ].tolist()


def test_huge_weights_give_certainty_without_a_warning() -> None:
    weights = np.full(SETTINGS["buckets"] + 1, -1e6, np.float32)
    assert probabilities(array("a b"), weights, **SETTINGS).tolist() == [0.0]
    assert probabilities(array("a b"), -weights, **SETTINGS).tolist() == [1.0]


WEIGHTS = np.zeros(5, np.float32)
OPTIONS = {"ngrams": 2, "buckets": 4, "seed": 0}


@table(
    "options, message",
    {
        "no buckets": ({"buckets": 0}, "its 5 weights are not those of 0 buckets"),
        "fewer than no buckets": ({"buckets": -1}, "not those of -1 buckets"),
        "more buckets than weights": ({"buckets": 8}, "its 5 weights are not those of 8 buckets and a bias"),
        "n-grams of no words": ({"ngrams": 0}, "n-grams of 0 words"),
        "n-grams of too many words": ({"ngrams": 6}, "n-grams of 6 words"),
        "a negative seed": ({"seed": -1}, "the seed -1"),
        "another option": ({"more": 1}, "does not say ngrams, buckets and seed"),
    },
)
def test_options_that_no_training_has(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(WEIGHTS, OPTIONS | options)


def test_buckets_that_are_no_power_of_two_and_weights_that_are_not_finite() -> None:
    check(WEIGHTS, OPTIONS)
    with pytest.raises(ValueError, match="its 4 weights are not those of 3 buckets"):
        check(WEIGHTS[:4], OPTIONS | {"buckets": 3})
    with pytest.raises(ValueError, match="its weights are not finite"):
        check(np.array([0, 0, np.nan, 0, 0], np.float32), OPTIONS)
