"""Models of either kind and of other programs: how they are asked, and what is refused."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.classifier.learn import MODEL, LearningTask, learn
from curation.models.classifier.metadata import Metadata, packed
from curation.models.classifier.model_file import TextClassifier, checked, load
from curation.models.fasttext.classifier import EMBEDDED, locate
from tests.curation.models.classifier.examples import BAD, GOOD, rows
from tests.curation.models.fasttext.training import train_supervised

TEXTS = pa.array([GOOD, BAD, "", None, GOOD.upper()], pa.large_string())


def training(kind: str, **changes: object) -> LearningTask:
    options = {"normalization": "lowercase", "word_ngrams": 2, "buckets": 4096, "epochs": 10, "learning_rate": 0.5}
    return LearningTask(kind=kind, dimensions=4, min_count=1, seed=0, **{**options, "positive": "positive", **changes})  # type: ignore[arg-type]


def model_file(folder: Path, kind: str, **changes: object) -> str:
    path = folder / f"{kind}.bin"
    path.write_bytes(learn([rows()], training(kind, **changes), {})[MODEL])
    return str(path)


@pytest.fixture(params=["fasttext", "logistic"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return model_file(tmp_path, request.param)


def test_the_score_is_the_probability_of_the_positive_label(path: str) -> None:
    labels, scores, grades = load(path).judge(TEXTS)
    assert labels.tolist() == ["positive", "negative", None, None, "positive"]
    assert scores[0] > 0.8 > 0.2 > scores[1]
    assert scores[4] == scores[0]
    assert np.isnan(scores[2:4]).all()
    assert np.isnan(grades).all()


def test_the_score_of_another_label(path: str) -> None:
    model = load(path)
    assert model.judge(TEXTS, "negative").scores[:2] == pytest.approx(1 - model.judge(TEXTS).scores[:2], abs=1e-4)


def test_a_positive_label_that_comes_first(tmp_path: Path) -> None:
    folder = rows(good="a", bad="z")
    content = learn([folder], training("logistic", positive="a"), {})[MODEL]
    (tmp_path / "a.bin").write_bytes(content)
    labels, scores, _ = load(str(tmp_path / "a.bin")).judge(TEXTS[:2])
    assert labels.tolist() == ["a", "z"]
    assert scores[0] > 0.8 > 0.2 > scores[1]


def graded(folder: Path) -> str:
    """A fastText model whose labels are the scores 0, 2 and 5."""
    path = folder / "graded.bin"
    path.write_bytes(learn([graded_rows()], training("fasttext", positive="", epochs=25), {})[MODEL])
    return str(path)


def two_grades(folder: Path, kind: str) -> str:
    """A model whose labels are the scores 1 and 4."""
    path = folder / "two.bin"
    path.write_bytes(learn([rows(good="4", bad="1")], training(kind, positive=""), {})[MODEL])
    return str(path)


def graded_rows() -> pa.RecordBatch:
    ends = rows(good="5", bad="0")
    middle = rows(good="2", bad="2")
    texts = pa.array([f"middling {k} text" for k in range(len(middle))], pa.large_string())
    return pa.concat_batches([ends, middle.set_column(0, "text", texts)])


def test_labels_that_are_numbers_give_a_grade_which_is_their_mean(tmp_path: Path) -> None:
    model = load(graded(tmp_path))
    probabilities = model.probabilities(TEXTS)
    judged = model.judge(TEXTS)
    assert model.numbers == tuple(map(int, model.labels))
    by_number = dict(zip(model.numbers, probabilities[0], strict=True))
    assert judged.grades[0] == pytest.approx((2 * by_number[2] + 5 * by_number[5]) / sum(by_number.values()))
    assert judged.grades[0] > 3.5 > 1.5 > judged.grades[1]
    assert np.isnan(judged.grades[2:4]).all()


def foreign(folder: Path, *labels: str) -> str:
    lines = [f"__label__{label} {label}ish words and\n" for label in labels] * 30
    (folder / "lines.txt").write_text("".join(lines))
    train_supervised(folder / "lines.txt", folder / "own.bin", epoch=20, lr=0.5, dim=4)
    return str(folder / "own.bin")


def test_a_model_of_another_program(tmp_path: Path) -> None:
    path = foreign(tmp_path, "hq", "cc")
    assert load(path).foreign
    text = pa.array(["hqish CCISH CCISH", "ccish"], pa.large_string())
    assert checked(path, label="hq").judge(text, "hq").scores[1] < 0.2
    as_it_is = load(path).judge(text, "hq").scores[0]
    assert load(path).judge(text, "hq", "lowercase").scores[0] < as_it_is
    with pytest.raises(InputError, match=r"does not say which label is the good one; give `label: (hq|cc)` or (hq|cc)"):
        checked(path)


def test_of_several_labels_the_likeliest(tmp_path: Path) -> None:
    path = foreign(tmp_path, "math", "code", "prose")
    labels, scores, _ = checked(path).judge(pa.array(["mathish", "codeish"], pa.large_string()))
    assert labels.tolist() == ["math", "code"]
    assert (scores > 0.4).all()


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no classifier at gone\.bin; give the model\.bin"):
        load("gone.bin")
    (tmp_path / "words.txt").write_text("some words")
    with pytest.raises(
        InputError, match=r"words\.txt is no classifier that winnow can use: it is cut short|does not begin"
    ):
        load(str(tmp_path / "words.txt"))


def test_a_damaged_model(path: str, tmp_path: Path) -> None:
    content = Path(path).read_bytes()
    (tmp_path / "short.bin").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"short\.bin is no classifier that winnow can use: it"):
        load(str(tmp_path / "short.bin"))
    (tmp_path / "changed.bin").write_bytes(content[:2000] + b"?" + content[2001:])
    with pytest.raises(InputError, match=r"changed\.bin is no classifier that winnow can use: its content differs"):
        load(str(tmp_path / "changed.bin"))


def test_weights_that_do_not_fit_the_header() -> None:
    metadata = Metadata(kind="logistic", labels=("a", "b"), options={"ngrams": 1, "buckets": 4, "seed": 0})
    packed(metadata, b"")
    with pytest.raises(ValueError, match="its 1 weights are not those of 4 buckets and a bias"):
        TextClassifier(metadata, b"\0" * 4)


def test_another_label_normalization_or_language(tmp_path: Path) -> None:
    path = model_file(tmp_path, "fasttext", language="en")
    assert checked(path, label="negative", normalization="lowercase", language="en") is load(path)
    with pytest.raises(InputError, match="has no label 'positiv'; did you mean 'positive'"):
        checked(path, label="positiv")
    with pytest.raises(InputError, match="was trained with normalization: lowercase, not none; leave the option out"):
        checked(path, normalization="none")
    with pytest.raises(InputError, match="was trained for en, not for de"):
        checked(path, language="de")


def test_the_embedded_model_of_languages_is_a_classifier_too(tmp_path: Path) -> None:
    path = shutil.copy(locate(EMBEDDED), tmp_path / "lid.ftz")
    text = pa.array(["Die Kommission trifft sich am Donnerstag wieder."], pa.large_string())
    assert checked(str(path)).judge(text).labels.tolist() == ["de"]


@pytest.mark.parametrize("kind", ["fasttext", "logistic"])
def test_two_labels_without_a_good_one_keep_their_own_probabilities(tmp_path: Path, kind: str) -> None:
    judged = load(two_grades(tmp_path, kind)).judge(TEXTS[:2])
    assert judged.labels.tolist() == ["4", "1"]
    assert judged.grades[0] > 3 > 2 > judged.grades[1]
