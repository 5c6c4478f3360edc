"""Figures of scores, each computed by hand."""

from math import isnan

import numpy as np
import pytest

from curation.models.classifier.evaluation import (
    CalibrationBin,
    at_threshold,
    auc,
    average_precision,
    calibration_error,
    evaluate,
    precision_recall,
    reliability,
)

# In order of score: + - + + -
SCORES = np.array([0.9, 0.8, 0.7, 0.4, 0.1])
POSITIVE = np.array([True, False, True, True, False])


def test_auc_is_the_share_of_pairs_in_order() -> None:
    # 0.9 beats both negatives; 0.7 and 0.4 beat 0.1 alone.
    assert auc(SCORES, POSITIVE) == pytest.approx(4 / 6)


def test_equal_scores_count_half() -> None:
    assert auc(np.array([0.5, 0.5, 0.2]), np.array([True, False, False])) == pytest.approx(1.5 / 2)
    assert auc(np.full(7, 0.3), np.arange(7) < 3) == 0.5


def test_auc_of_one_class_is_unknown() -> None:
    assert isnan(auc(SCORES, np.ones(5, np.bool_)))


def test_average_precision_sums_the_steps() -> None:
    # Precision at each positive: 1/1, 2/3, 3/4; each adds a third of recall.
    assert average_precision(SCORES, POSITIVE) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_average_precision_takes_equal_scores_together() -> None:
    assert average_precision(np.array([0.5, 0.5, 0.1]), np.array([True, False, True])) == pytest.approx(1 / 4 + 1 / 3)


def test_precision_and_recall_at_each_score() -> None:
    thresholds, precision, recall = precision_recall(SCORES, POSITIVE)
    assert thresholds.tolist() == SCORES.tolist()
    assert precision.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 3 / 5])
    assert recall.tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1, 1])


def test_a_threshold_keeps_from_its_value_on() -> None:
    kept = at_threshold(SCORES, POSITIVE, 0.7)
    assert (kept.kept, kept.precision, kept.recall, kept.f1) == pytest.approx((3 / 5, 2 / 3, 2 / 3, 2 / 3))
    assert at_threshold(SCORES, POSITIVE, 0.71).kept == pytest.approx(2 / 5)


def test_a_threshold_above_all_scores() -> None:
    kept = at_threshold(SCORES, POSITIVE, 0.95)
    assert isnan(kept.precision)
    assert (kept.kept, kept.recall, kept.f1) == (0, 0, 0)


def test_bins_and_their_distance_from_the_diagonal() -> None:
    bins = reliability(np.array([0.05, 0.15, 0.11, 1.0]), np.array([False, True, False, True]))
    assert bins[0] == CalibrationBin(1, 0.05, 0.0)
    assert (bins[1].documents, bins[1].mean_score, bins[1].positives) == pytest.approx((2, 0.13, 0.5))
    assert bins[9] == CalibrationBin(1, 1.0, 1.0)
    assert isnan(bins[5].mean_score)
    assert calibration_error(bins) == pytest.approx((0.05 + 2 * 0.37 + 0) / 4)


def test_everything_together() -> None:
    scores = np.append(SCORES, np.nan)  # a text without words counts as scored 0
    result = evaluate(scores, np.append(POSITIVE, False))
    assert (result.documents, result.positives, result.unscored) == (6, 3, 1)
    assert result.auc == pytest.approx(7 / 9)
    assert result.brier == pytest.approx((0.01 + 0.64 + 0.09 + 0.36 + 0.01 + 0) / 6)
    assert (result.best.threshold, result.best.f1) == pytest.approx((0.4, 6 / 7))
    assert result.at_half.recall == pytest.approx(2 / 3)
    assert [one.threshold for one in result.thresholds][:2] == [0.05, 0.1]


def test_one_class_cannot_be_evaluated() -> None:
    with pytest.raises(ValueError, match="documents of one class alone"):
        evaluate(SCORES, np.zeros(5, np.bool_))
