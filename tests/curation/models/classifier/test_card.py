"""The card: every figure of the report stands in it."""

import json
from math import nan

from curation.models.classifier.card import card
from curation.models.classifier.learn import CARD, REPORT, learn
from tests.curation.models.classifier.examples import rows
from tests.curation.models.classifier.test_model_file import training


def test_a_card() -> None:
    files = learn([rows()], training("logistic", language="en"), {"positive": "a|b.jsonl", "negative": "chain web"})
    text = files[CARD].decode()
    report = json.loads(files[REPORT])
    assert "# Classifier: negative against positive\n" in text
    assert "Its score is the probability of the label `positive`." in text
    assert "in the language `en`, with the normalization `lowercase`" in text
    assert f"| positive | `a\\|b.jsonl` | 96 | 24 | {report['data']['positive']['bytes']:,} |" in text
    assert "| auc | 1 |" in text
    assert "dimensions" not in text
    assert text.count("(best F1)") == 1
    assert "![precision, calibration, scores](calibration.png)" in text


def test_figures_that_are_not_known() -> None:
    report = json.loads(learn([rows()], training("fasttext", positive=""), {})[REPORT])
    report["evaluation"]["positive"]["auc"] = nan
    text = card(report)
    assert "It gives each label a probability." in text
    assert "### negative" in text
    assert "| auc | - |" in text
    assert "| dimensions | 4 |" in text
