"""Centroids learnt from texts: what they are, that they are repeatable, and options that cannot work."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.fit.kmeans import Kmeans
from tests.support import learned


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "words.vec"
    path.write_text("cat 1 0 0\ndog 0.9 0.1 0\nstone 0 1 0\nrock 0 0.9 0.1\nsea 0 0 1\nwave 0.1 0 0.9\n")
    return str(path)


TEXTS: list[list[Any]] = [
    ["cat dog", "stone rock", ""],
    ["sea", "wave sea", "nothing known", "rock"],
    [],
    ["dog", None, "cat cat dog"],
]


def fitted(model: str, texts: list[list[Any]], **options: Any) -> Any:
    content = learned(Kmeans(model=model, **options), [pa.array(part, pa.large_string()) for part in texts])
    return np.load(io.BytesIO(content))


def test_centroids_of_texts(model: str) -> None:
    assert Kmeans(model=model).assets() == {"model": model}
    found = [fitted(model, TEXTS, clusters=3, seed=seed) for seed in range(8)]
    meanings = [sorted(np.abs(centroids).argmax(axis=1).tolist()) for centroids in found]
    assert [0, 1, 2] in meanings
    assert found[0].dtype == np.float32
    assert np.allclose(np.square(found[0]).sum(axis=1), 1)


def test_the_same_however_texts_are_cut(model: str) -> None:
    assert np.array_equal(
        fitted(model, TEXTS, clusters=2), fitted(model, [[*TEXTS[0], *TEXTS[1], *TEXTS[3]]], clusters=2)
    )


def test_too_few_texts(model: str) -> None:
    with pytest.raises(InputError, match=r"0 different vectors .* cannot have 1 centroids"):
        fitted(model, [["", "nothing known"]], clusters=1)
    with pytest.raises(InputError, match="0 different"):
        fitted(model, [], clusters=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"clusters": 0}, "clusters, rounds and sample_bytes of 1 or more", id="no clusters"),
        pytest.param({"rounds": 0}, "clusters, rounds and sample_bytes of 1 or more", id="no rounds"),
        pytest.param({"seed": -1}, "a seed of 0 or more", id="seed"),
        pytest.param({"model": ""}, "model names no file", id="no model"),
        pytest.param({"encoder": "word_vektors"}, "did you mean 'word_vectors'", id="no encoder"),
    ],
)
def test_options_that_cannot_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Kmeans(**{"model": "words.vec", **options})
