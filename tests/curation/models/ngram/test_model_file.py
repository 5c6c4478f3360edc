"""Model files say how they read text, and are refused with one line where that is not wanted."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import InputError
from curation.fit.sentencepiece import Sentencepiece
from curation.models.ngram import model_file
from curation.models.ngram.counts import count
from curation.models.ngram.estimate import FALLBACK, estimate
from curation.models.ngram.kenlm_binary import BUILDER, MAGIC
from curation.models.ngram.model_file import Facts, facts_of, file_of, is_binary, load, locate, write_binary
from curation.models.ngram.reading import Reading
from tests.curation.models.ngram.slow_model import prose, slow_score, values_of
from tests.support import learned

TEXT = pa.array(["The Cat\nthe dog 7", "The bird"], pa.large_string())


def written(path: Path, reading: Reading, language: str = "") -> str:
    model = estimate([count(reading.tokens(TEXT), 2)], fallback=FALLBACK)
    path.write_bytes(b"".join(file_of(model, reading, language=language)))
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def pieces(folder: Path) -> str:
    fit = Sentencepiece(vocab_size=30, byte_fallback=False, character_coverage=1.0)
    (folder / "pieces").write_bytes(learned(fit, [pa.array([prose(20), *TEXT.to_pylist()])]))
    return str(folder / "pieces")


@pytest.fixture(scope="module")
def english(folder: Path) -> str:
    return written(folder / "en.arpa", Reading(normalization="ccnet"), "en")


def test_the_file_says_how_it_reads_text(english: str) -> None:
    assert facts_of(english) == Facts(normalization="ccnet", language="en")
    first = json.loads(Path(english).read_bytes().split(b"\n")[0].removeprefix(b"# winnow "))
    assert first == asdict(Facts(normalization="ccnet", language="en", order=2)) | {"prune": []}


def test_a_text_is_normalized_as_the_training_text_was(english: str) -> None:
    texts = pa.array(["the cat", "THE CÄT\n9"], pa.large_string())
    scores = load(english).score(texts)
    model = estimate([count(Reading(normalization="ccnet").tokens(TEXT), 2)], fallback=FALLBACK)
    expected = [slow_score(values_of(model), 2, line) for line in ("the cat", "the cat", "0")]
    assert scores.logarithms.tolist() == pytest.approx(expected, abs=1e-6)
    assert scores.characters.tolist() == [8, 8, 2]  # a space or a line end after each word


def test_pieces_are_told_by_their_content(folder: Path, pieces: str) -> None:
    path = written(folder / "pieces.arpa", Reading(pieces=pieces))
    copy = shutil.copy(pieces, folder / "copy")
    scores = load(path, pieces=str(copy)).score(TEXT)
    assert scores.tokens.sum() > 10
    assert scores.characters.tolist() == [7, 9, 8]  # "The▁Cat"
    with pytest.raises(InputError, match="was trained on the pieces of a SentencePiece model; name that as `pieces`"):
        locate(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"normalization": "nfc"}, "with normalization ccnet, not nfc; set", id="another normalization"),
        pytest.param({"language": "de"}, "was trained on en, not on de", id="another language"),
        pytest.param({"pieces": "pieces"}, "was trained on words; remove `pieces`", id="pieces"),
    ],
)
def test_another_use_is_refused(
    english: str, pieces: str, options: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.chdir(folder)
    assert locate(english) == locate(english, language="en", normalization="ccnet") == english
    with pytest.raises(InputError, match=message) as refusal:
        locate(english, **options)
    assert "\n" not in str(refusal.value)


def test_other_pieces_are_refused(folder: Path, pieces: str) -> None:
    path = written(folder / "own.arpa", Reading(pieces=pieces))
    fit = Sentencepiece(vocab_size=32, byte_fallback=False, character_coverage=1.0)
    (folder / "others").write_bytes(learned(fit, [pa.array([prose(20), *TEXT.to_pylist()])]))
    with pytest.raises(InputError, match=r"another SentencePiece model than .*others"):
        load(path, pieces=str(folder / "others"))


def test_a_file_from_elsewhere_needs_a_normalization(english: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs.arpa"
    path.write_bytes(Path(english).read_bytes().partition(b"\n")[2])
    with pytest.raises(
        InputError, match="does not say how its text was normalized; set `normalization` to one of none"
    ):
        locate(str(path))
    assert facts_of(str(path)) is None
    same = load(str(path), normalization="ccnet").score(TEXT).logarithms
    assert same.tolist() == load(english).score(TEXT).logarithms.tolist()


def test_half_of_a_model_of_halves_is_refused(tmp_path: Path) -> None:
    reading = Reading()
    model = estimate([count(reading.tokens(TEXT), 2)], fallback=FALLBACK)
    first, second = (b"".join(file_of(model, reading, half=half)) for half in (1, 2))
    (tmp_path / "whole.arpa").write_bytes(first + second)
    (tmp_path / "cut.arpa").write_bytes(first)
    assert load(str(tmp_path / "whole.arpa")).measures(TEXT, least=1).shape == (4, 2)
    with pytest.raises(InputError, match=r"cut\.arpa is no n-gram model .*: it has one of two halves: it is cut short"):
        locate(str(tmp_path / "cut.arpa"))
    assert not write_binary(str(tmp_path / "whole.arpa"), str(tmp_path / "whole.binary"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            b"{}", r"is no n-gram model in ARPA or KenLM's binary format: it has no \\data\\", id="another kind"
        ),
        pytest.param(b'# winnow {"format": 3}\n', "it has format 3", id="a later format"),
        pytest.param(b"# winnow {\n", "does not say how its model reads text", id="a broken first line"),
    ],
)
def test_what_is_no_model_is_refused(content: bytes, message: str, tmp_path: Path, english: str) -> None:
    whole = Path(english).read_bytes().partition(b"\n")[2]
    (tmp_path / "a.arpa").write_bytes(content + (whole if content.startswith(b"#") else b""))
    with pytest.raises(InputError, match=message):
        locate(str(tmp_path / "a.arpa"))


def test_a_missing_and_a_damaged_file(tmp_path: Path, english: str) -> None:
    with pytest.raises(InputError, match="no n-gram model at nowhere; give the path"):
        locate("nowhere")
    with pytest.raises(InputError, match="no n-gram model at nowhere"):
        load("nowhere")
    (tmp_path / "cut.arpa").write_bytes(Path(english).read_bytes()[:-30])
    with pytest.raises(InputError, match=r"cut.arpa is no n-gram model in ARPA .* is broken"):
        locate(str(tmp_path / "cut.arpa"))


def test_what_is_said_beside_a_binary_file_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "en.bin")
    Path(path).write_bytes(MAGIC + b" version 5")
    assert is_binary(path)
    assert facts_of(path) is None
    (tmp_path / "en.bin.json").write_text(json.dumps(asdict(Facts(normalization="ccnet", language="en"))))
    assert facts_of(path) == Facts(normalization="ccnet", language="en")
    monkeypatch.setattr(model_file, "_intact", lambda uri: None)
    with pytest.raises(InputError, match="does not say"):
        locate(path)  # the recipe must, since the address of its stage has to
    with pytest.raises(InputError, match="normalization ccnet, not nfc"):
        locate(path, normalization="nfc")
    assert locate(path, normalization="ccnet", language="en") == path


def test_a_binary_file_is_made_by_kenlm(english: str, tmp_path: Path) -> None:
    pytest.importorskip("kenlm")
    if shutil.which(BUILDER) is None:
        pytest.skip("KenLM's build_binary is not on PATH")
    binary = str(tmp_path / "en.bin")
    assert write_binary(english, binary)
    ours = load(english).score(TEXT)
    theirs = load(binary, normalization="ccnet").score(TEXT)
    assert theirs.logarithms.tolist() == pytest.approx(ours.logarithms.tolist(), rel=1e-5)
    with pytest.raises(InputError, match="normalization ccnet, not none"):
        locate(binary, normalization="none")


def test_no_binary_file_without_the_program(english: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not write_binary(english, str(tmp_path / "en.bin"))
    assert not list(tmp_path.iterdir())
