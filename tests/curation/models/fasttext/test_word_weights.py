"""Two labels by words: the library's scores, whatever the text, and a score that is its own."""

from pathlib import Path
from typing import Any

import fasttext
import numpy as np
import pyarrow as pa
import pytest

from curation.models import text_windows
from curation.models.fasttext.classifier import FasttextClassifier, load
from curation.models.fasttext.word_weights import PIECE, WordModel
from curation.models.text_windows import Windows
from tests.curation.models.fasttext.training import train_supervised

LONG = " ".join(f"sugar{n % 7} vinegar honey{n % 5}" for n in range(600))
TEXTS = (
    "honey cake lemon",
    "honey",
    "unknown words alone",
    LONG,
    "x" * 3 * PIECE + " honey " + "é" * PIECE,  # tokens longer than a piece
    "w " * (PIECE // 2) + "honey lemon",  # a token begins where a piece ends
    "v" * (PIECE - 1) + " honey",
    "v" * PIECE + " honey",
    "honey\tcake\r\n\v\fsugar\u00a0vinegar\x1clemon",  # only ASCII's blanks part tokens
    "  honey   cake  ",
    "__label__sweet honey __label__x cake",
    "_honey <cake> </s </s>> __label",
)


def whole(texts: tuple[str | None, ...]) -> Windows:
    return text_windows.whole(pa.array(texts, pa.large_string()))


def trained(folder: Path, **settings: Any) -> str:
    lines = [f"__label__sweet sugar{n % 7} honey cake{n % 3} honey{n % 5}\n" for n in range(100)]
    lines += [f"__label__sour lemon vinegar pickle{n % 4} _honey\n" for n in range(80)]
    (folder / "train.txt").write_text("".join(lines))
    options = {"epoch": 5, "lr": 0.5, "dim": 5, **settings}
    train_supervised(folder / "train.txt", folder / "model.bin", **options)
    return str(folder / "model.bin")


@pytest.mark.parametrize("settings", [{}, {"wordNgrams": 2, "bucket": 1000}, {"wordNgrams": 4, "bucket": 512}], ids=str)
def test_scores_are_the_librarys(tmp_path: Path, settings: dict[str, Any]) -> None:
    path = trained(tmp_path, **settings)
    classifier = load(path)
    assert isinstance(classifier._tables, WordModel), "it is a model of the kind that is tested here"
    binding: Any = fasttext.load_model(path).f
    labels, scores = binding.multilinePredict([text.replace("\n", " ") + "\n" for text in TEXTS], -1, 0.0, "strict")
    for own, names, theirs in zip(classifier.scores(whole(TEXTS)), labels, scores, strict=True):
        expected = dict(zip(names, theirs.tolist(), strict=True))
        for label, score in zip(classifier.labels, own, strict=True):
            assert score == pytest.approx(min(expected.get(f"__label__{label}", 1e-5), 1.0), abs=1e-5)


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> FasttextClassifier:
    return load(trained(tmp_path_factory.mktemp("model"), wordNgrams=3, bucket=1000))


def test_a_text_scores_the_same_whatever_stands_beside_it(classifier: FasttextClassifier) -> None:
    together = classifier.scores(whole(TEXTS))
    for text, row in zip(TEXTS, together, strict=True):
        assert classifier.scores(whole((text,)))[0].tolist() == row.tolist()


def test_a_text_without_words_has_no_score(classifier: FasttextClassifier) -> None:
    assert np.isnan(classifier.scores(whole(("", None, " \n\0\t", "</s>", "__label__sweet")))).all()
