"""What a classifier says of itself, and of documents."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from curation.models.classifier.classifier_inspection import inspect
from curation.models.classifier.learn import MODEL, learn
from curation.models.classifier.metadata import unpacked
from curation.models.classifier.model_file import TextClassifier, checked
from curation.models.extremes import EXAMPLES
from tests.curation.models.classifier.examples import BAD, GOOD, rows, texts
from tests.curation.models.classifier.test_model_file import training, two_grades


def model() -> TextClassifier:
    metadata, body = unpacked(learn([rows()], training("logistic", language="en"), {})[MODEL])
    assert metadata is not None
    return TextClassifier(metadata, body)


def test_a_model_alone() -> None:
    facts = inspect(model(), [])
    assert facts["kind"] == "logistic"
    assert facts["labels"] == ["negative", "positive"]
    assert (facts["positive"], facts["language"], facts["from_winnow"]) == ("positive", "en", True)
    assert facts["file_bytes"] == 4 * 4097
    assert "scores" not in facts


def test_scores_of_documents() -> None:
    several = [pa.array([*texts(GOOD, 8), ""], pa.large_string()), pa.array(texts(BAD, 4), pa.large_string())]
    scores = inspect(model(), several)["scores"]
    assert (scores["label"], scores["documents"], scores["unscored"]) == ("positive", 13, 1)
    assert scores["likeliest"] == {"negative": 4, "positive": 8}
    assert scores["kept"]["0.5"] == 8 / 12
    expected = np.sort(np.concatenate([model().judge(array).scores for array in several])[[*range(8), *range(9, 13)]])
    assert (scores["quantiles"]["0"], scores["quantiles"]["100"]) == (expected[0], expected[-1])
    assert scores["quantiles"]["50"] == expected[5]
    assert [one["score"] for one in scores["best"]] == expected[::-1][:EXAMPLES].tolist()
    assert [one["score"] for one in scores["worst"]] == expected[:EXAMPLES].tolist()
    assert scores["worst"][0]["text"] in texts(BAD, 4)


def test_documents_without_words_have_no_scores() -> None:
    assert "scores" not in inspect(model(), [pa.array(["", " "], pa.large_string())])


def test_grades_of_a_model_whose_labels_are_numbers(tmp_path: Path) -> None:
    both = [pa.array([*texts(GOOD, 8), *texts(BAD, 8), ""], pa.large_string())]
    scores = inspect(checked(two_grades(tmp_path, "logistic"), scored=False), both)["scores"]
    assert (scores["documents"], scores["unscored"]) == (17, 1)
    assert 1 <= scores["grades"]["0"] < 2 < 3 < scores["grades"]["100"] <= 4
    assert "grades" not in inspect(model(), both)["scores"]
