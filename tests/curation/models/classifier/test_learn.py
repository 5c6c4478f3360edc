"""A classifier's files: what they say, that they are the same each time, and which examples are refused."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.classifier.learn import CARD, MODEL, PLOT, REPORT, learn
from curation.text.text_hash import text_hashes
from tests.curation.models.classifier.examples import rows
from tests.curation.models.classifier.test_model_file import graded_rows, training


@pytest.mark.parametrize("kind", ["fasttext", "logistic"])
def test_the_same_examples_give_the_same_files(kind: str) -> None:
    files = learn([rows()], training(kind), {"positive": "good.jsonl"})
    assert set(files) == {MODEL, REPORT, CARD, PLOT}
    assert learn([rows().slice(0, 100), rows().slice(100)], training(kind), {"positive": "good.jsonl"}) == files
    assert files[PLOT].startswith(b"\x89PNG")
    report = json.loads(files[REPORT])
    assert report["evaluation"]["positive"]["auc"] == 1.0
    assert report["evaluation"]["positive"]["documents"] == 48
    assert report["classifier"]["sha256"] == hashlib.sha256(files[MODEL]).hexdigest()
    assert report["classifier"]["sha256"] in files[CARD].decode()


def test_where_labels_are_a_teachers_scores_the_students_agreement_is_told() -> None:
    files = learn([graded_rows()], training("fasttext", positive="", epochs=25), {})
    figures = json.loads(files[REPORT])["agreement"]
    assert figures["documents"] == 96
    assert figures["spearman"] > 0.9
    assert [cut["cut"] for cut in figures["cuts"]] == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert figures["cuts"][2]["f1"] > 0.9
    assert "| good from | precision | recall | F1 |" in files[CARD].decode()
    assert "agreement" not in json.loads(learn([rows()], training("fasttext"), {})[REPORT])


def test_fingerprints_of_the_data() -> None:
    batch = rows(20)
    report = json.loads(
        learn([batch], training("logistic"), {"positive": "good.jsonl", "negative": "chain web"})[REPORT]
    )
    texts = [
        text
        for text, label in zip(*(batch[name].to_pylist() for name in ("text", "label")), strict=True)
        if label[0] == "p"
    ]
    hashes = sorted(text_hashes(pa.array(texts, pa.large_string())).to_pylist())
    assert report["data"]["positive"] == {
        "from": "good.jsonl",
        "documents": 16,
        "held_out": 4,
        "bytes": sum(map(len, texts)),
        "sha256": hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
    }
    assert report["data"]["negative"]["from"] == "chain web"


def test_several_labels_without_a_good_one() -> None:
    batch = rows(60, good="math", bad="spam")
    other = rows(60, good="code", bad="spam")
    code = pa.array([f"def return class import {n}" for n in range(120)], pa.large_string())
    other = other.set_column(0, "text", code).filter(np.asarray(other["label"]) == "code")
    report = json.loads(learn([batch, other], training("fasttext", positive=""), {"": "all.jsonl"})[REPORT])
    assert list(report["evaluation"]) == report["classifier"]["labels"]
    assert set(report["evaluation"]) == {"code", "math", "spam"}
    assert report["accuracy"] > 0.9
    assert {one["from"] for one in report["data"].values()} == {"all.jsonl"}
    with pytest.raises(
        InputError, match="logistic tells two labels apart, and the examples have 3; use kind: fasttext"
    ):
        learn([batch, other], training("logistic", positive=""), {})


def only(label: str) -> pa.RecordBatch:
    return rows().filter(np.asarray(rows()["label"]) == label)


def held_out(batch: pa.RecordBatch, value: bool) -> pa.RecordBatch:
    return batch.set_column(2, "held_out", pa.array([value] * len(batch)))


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        pytest.param([only("positive")], "every example has the label 'positive'; a classifier learns", id="one label"),
        pytest.param([only("negative")], "no example with the label 'positive', only negative", id="no good one"),
        pytest.param([], "no example with the label 'positive', only none", id="nothing"),
        pytest.param(
            [only("positive"), held_out(only("negative"), False)],
            "no document of 'negative' is left to be judged by; give more examples, or change held_out",
            id="none held out",
        ),
        pytest.param(
            [only("negative"), held_out(only("positive"), True)], "no document of 'positive' is left to learn", id="all"
        ),
    ],
)
def test_examples_from_which_nothing_can_be_learned(batches: list[pa.RecordBatch], message: str) -> None:
    with pytest.raises(InputError, match=message):
        learn(batches, training("logistic"), {})


def test_no_examples_at_all() -> None:
    with pytest.raises(InputError, match="there are no examples to learn from"):
        learn([], training("fasttext", positive=""), {})
