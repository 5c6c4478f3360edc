"""Tokens are those of KenLM, sentences are lines, and a SentencePiece model is known by its content."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.fit.sentencepiece import Sentencepiece
from curation.models.ngram.reading import Reading, load_pieces, sentences_of
from tests.support import learned


def tokens(*texts: str | None) -> list[str]:
    read = sentences_of(pa.array(texts, pa.large_string()))
    content = read.data.tobytes()
    return [content[start:stop].decode() for start, stop in zip(read.starts, read.stops, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a bb\tc", ["a", "bb", "c", ""], id="words and the end of the line"),
        pytest.param("a\nb\n", ["a", "", "b", ""], id="two lines"),
        pytest.param("\n \na\n\t\n", ["a", ""], id="blank lines do not count"),
        pytest.param("a\0b\x0bc\x0cd\re", ["a", "b", "c", "d", "e", ""], id="all of ASCII whitespace, and NUL"),
        pytest.param("a\u00a0b\x01c", ["a\u00a0b\x01c", ""], id="no other whitespace"),
        pytest.param(None, [], id="null"),
    ],
)
def test_tokens(text: str | None, expected: list[str]) -> None:
    assert tokens(text) == expected
    assert tokens("x", text, "y") == ["x", "", *expected, "y", ""]


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("pieces") / "tokenizer.model"
    texts = pa.array(["the cat and the dog and the bird saw the sea " * 20], pa.large_string())
    fit = Sentencepiece(vocab_size=40, byte_fallback=False, character_coverage=1.0)
    path.write_bytes(learned(fit, [texts]))
    return str(path)


def test_pieces_line_by_line(pieces: str) -> None:
    (text,) = Reading(pieces=pieces).tokens(pa.array(["the cat\n\nsea"], pa.large_string())).to_pylist()
    lines = text.split("\n")
    assert ["".join(line.split()).replace("▁", " ").strip() for line in lines] == ["the cat", "", "sea"]
    assert lines[0].split() == load_pieces(pieces).encode("the cat", out_type=str)


def test_a_reading_is_known_by_the_content_of_its_pieces(pieces: str) -> None:
    assert Reading().digest() == ""
    assert Reading(pieces=pieces).digest() == hashlib.sha256(Path(pieces).read_bytes()).hexdigest()


def test_another_file_holds_no_pieces(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("no model")
    with pytest.raises(InputError, match="other is not a SentencePiece model"):
        load_pieces(str(tmp_path / "other"))
    with pytest.raises(InputError, match="no file at"):
        load_pieces(str(tmp_path / "missing"))
