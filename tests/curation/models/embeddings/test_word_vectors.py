"""Means of word vectors by hand, and the files that hold them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.models.embeddings.word_vectors import LINES, WordVectors, load_encoder

TEXT = "5 2\ncat 3 4\nDog 0 2\n, 9 9\ndog 7 7\nyear 1 0\n"


def model(folder: Path, text: str | bytes) -> WordVectors:
    file = folder / "model.vec"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_encoder((str(file),))


def rounded(vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> list[list[float]]:
    return [[round(float(value), 6) for value in vector] for vector in vectors]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("cat", [0.6, 0.8], id="one word"),
        pytest.param("CAT, cat! 'Cat'", [0.6, 0.8], id="case and punctuation"),
        pytest.param("cat dog", [0.447214, 0.894427], id="the sum of both, 3 6"),
        pytest.param("cat dog dog", [0.351123, 0.936329], id="every occurrence counts, 3 8"),
        pytest.param("cat unheard of", [0.6, 0.8], id="unknown words do not"),
        pytest.param("unheard of, , ,", [0.0, 0.0], id="only unknown words and punctuation"),
        pytest.param("", [0.0, 0.0], id="empty"),
        pytest.param(None, [0.0, 0.0], id="null"),
        pytest.param("cat " * 5000, [0.6, 0.8], id="more words than are looked up at a time"),
    ],
)
def test_the_vector_of_a_text(tmp_path: Path, text: str | None, expected: list[float]) -> None:
    texts = pa.array(["year", text, "year"], pa.large_string())
    assert rounded(model(tmp_path, TEXT).embed(texts)) == [[1.0, 0.0], expected, [1.0, 0.0]]


def test_vectors_that_cancel_out_have_no_direction(tmp_path: Path) -> None:
    assert model(tmp_path, "a 1 0\nb -1 0\n").embed(pa.array(["a b"])).tolist() == [[0.0, 0.0]]


def test_numbers_of_one_length_are_one_word(tmp_path: Path) -> None:
    assert rounded(model(tmp_path, "1990 0 1\n2000 1 0\n").embed(pa.array(["1987", "19"]))) == [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.replace("\n", " \n"), id="a space at the end of lines"),
        pytest.param(TEXT.partition("\n")[2], id="no first line of sizes"),
        pytest.param(TEXT.partition("\n")[2].removesuffix("\n"), id="no newline at the end"),
        pytest.param(TEXT + "at the 5 5\n", id="a word of two"),
        pytest.param(TEXT.encode() + b"\xff\xfe 5 5\n", id="no UTF-8"),
        pytest.param(TEXT + "".join(f"w{'x' * n} 1 1\n" for n in range(LINES)), id="many lines"),
    ],
)
def test_text_files(tmp_path: Path, text: str | bytes) -> None:
    found = model(tmp_path, text)
    assert found.dimensions == 2
    assert rounded(found.embed(pa.array(["cat", "at", "the"]))) == [[0.6, 0.8], [0, 0], [0, 0]]


def test_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[3, 4], [0, 2]], np.float16))
    (tmp_path / "w.txt").write_text("cat\ndog\n")
    found = load_encoder((str(tmp_path / "v.npy"), str(tmp_path / "w.txt")))
    assert rounded(found.embed(pa.array(["cat dog"]))) == [[0.447214, 0.894427]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "line 1 is not a word and numbers", id="empty"),
        pytest.param("word\n", "line 1 is not a word and numbers", id="words only"),
        pytest.param("1 2\n", "it lists no words", id="sizes only"),
        pytest.param("a 1 2\nb 1\n", "line 2 is not a word and 2 numbers", id="too few"),
        pytest.param("2 2\na 1 2\nb 1\n", "line 3 is not a word and 2 numbers", id="too few behind sizes"),
        pytest.param("a 1 2\nb 1 x\n", "could not convert", id="no number"),
        pytest.param("a 1 2\nb 1 nan\n", "not finite", id="not finite"),
        pytest.param("a 1 2\nb 1 1e300\n", "not finite", id="beyond a float32"),
        pytest.param("2 9999999\na 1 2\n", "line 1 states 9,999,999 numbers", id="numbers without end"),
        pytest.param(f"2 {'9' * 5000}\na 1 2\n", "line 1 states 9,999,999", id="a number of 5,000 digits"),
        pytest.param(f"a 1 2\nb 1 {'0' * 40}1\n", "a number has more than 40 bytes", id="a long number"),
    ],
)
def test_text_that_is_no_model(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"model.vec: not word vectors: .*{message}"):
        model(tmp_path, text)


@pytest.mark.parametrize(
    ("rows", "message"),
    [pytest.param(3, "2 words for 3 vectors", id="too many"), pytest.param(1, "2 words for 1 vectors", id="too few")],
)
def test_arrays_of_another_length(tmp_path: Path, rows: int, message: str) -> None:
    np.save(tmp_path / "v.npy", np.ones((rows, 2)))
    (tmp_path / "w.txt").write_text("cat\ndog\n")
    with pytest.raises(InputError, match=f"v.npy and .*w.txt: not word vectors: {message}"):
        load_encoder((str(tmp_path / "v.npy"), str(tmp_path / "w.txt")))


def test_too_many_files() -> None:
    with pytest.raises(InputError, match=r"one text file, or a \.npy file and its words"):
        load_encoder(("a", "b", "c"))
