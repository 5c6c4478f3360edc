"""Encoders by name: known ones, unknown ones, missing files."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.models.embeddings import encoders


@pytest.mark.parametrize("name", ["word_vector", "public_suffixes", "no such", "", "os.path"])
def test_what_is_no_encoder(name: str) -> None:
    with pytest.raises(RecipeError, match=r"no encoder named .*word_vectors"):
        encoders.check(name)


def test_a_model_is_loaded_once(tmp_path: Path) -> None:
    file = tmp_path / "words.vec"
    file.write_text("cat 1 0\n")
    encoder = encoders.load("word_vectors", str(file))
    assert encoder is encoders.load("word_vectors", str(file))
    assert encoder.dimensions == 2
    assert encoder.embed(pa.array(["cat"])).tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_file(tmp_path: Path, missing: int) -> None:
    paths = [str(tmp_path / name) for name in ("a.npy", "a.txt")]
    Path(paths[1 - missing]).write_text("x\n")
    with pytest.raises(InputError, match=f"no encoder's model at {paths[missing]}"):
        encoders.locate(tuple(paths))
