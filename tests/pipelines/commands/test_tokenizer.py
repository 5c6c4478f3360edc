"""The commands about tokenizers on a small run: what they write, print and refuse."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError, UserError, WinnowError
from curation.tokens.encoders.load_tokenizer import load
from pipelines.commands import tokenizer
from tests.curation.account.conftest import corpus as corpus
from tests.curation.account.conftest import written as written
from tests.curation.account.corpus import curate, curate_sources


@pytest.fixture
def run(corpus: Path) -> str:
    return curate(corpus).folder


def train(run: str, output: Path, **options: Any) -> None:
    tokenizer.train(run=run, output=str(output), **options)


def test_training_writes_a_tokenizer_and_its_record(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.json"
    train(run, file, stage="gopher", vocab_size=320, settings=["reserved_tokens=3", "split_digits=three"])
    shown = capsys.readouterr().out
    assert "own.json: 320 tokens" in shown
    assert "trained on gopher" in shown
    record = json.loads(Path(f"{file}.sample").read_text())
    assert record["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (record["fit"], record["vocabulary"], record["options"]["reserved_tokens"]) == ("tokenizer", 320, 3)
    (group,) = record["sample"]["groups"]
    assert group["sample_bytes"] == group["available_bytes"] > 10_000
    assert load(str(file)).tokens()[2] == "<|reserved_0|>"


def test_training_on_shares_of_a_language(run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["sample_by=language.label", "sample_weights={de: 1, en: 0}"]
    train(run, tmp_path / "own.json", settings=settings, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [(one["group"], one["documents"] > 0) for one in found["sample"]["groups"]] == [("de", True), ("en", False)]
    assert found["stages"][0]["name"] == "tokenize"
    assert found == json.loads((tmp_path / "own.json.sample").read_text())


def test_training_of_a_sentencepiece_model_by_a_file(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = curate_sources(corpus).folder
    config = tmp_path / "mine.yaml"
    config.write_text(
        "sentencepiece: {vocab_size: 5000, model_type: bpe, sample_by: source, sample_temperature: .inf}\n"
    )
    train(run, tmp_path / "own.model", config=str(config))
    shown = capsys.readouterr().out
    assert "warning: the text was enough for only" in shown
    assert "one" in shown
    assert load(str(tmp_path / "own.model")).vocabulary.file == "tokenizer.model"


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        pytest.param({"model": "sentencepiece"}, "own.json", "use a name with the same ending", id="name"),
        pytest.param({"model": "bep"}, "own.json", "options: model: expected 'byte_bpe', 'bpe'", id="model"),
        pytest.param({"vocab_size": 100}, "own.json", "options: vocab_size is 100; 256 bytes", id="size"),
        pytest.param({"vocab_size": 0}, "own.json", "options: vocab_size is 0; 256 bytes", id="no size"),
        pytest.param({"settings": ["sample_bytes=1"]}, "own.json", "no text to learn a tokenizer from", id="no text"),
        pytest.param({"settings": ["vocab_sise=3"]}, "own.json", "did you mean 'vocab_size'", id="option"),
        pytest.param({"settings": ["pattern"]}, "own.json", "expected OPTION=VALUE", id="setting"),
        pytest.param({"settings": ["pattern=[a"]}, "own.json", "is not a YAML value", id="value"),
        pytest.param(
            {"settings": ["pattern=&a [*a]"]}, "own.json", "is not a YAML value", id="value that holds itself"
        ),
        pytest.param({"settings": ["vocab_size=" + "9" * 5000]}, "own.json", "is not a YAML value", id="5,000 digits"),
        pytest.param({"stage": "gofer"}, "own.json", "did you mean 'gopher'", id="stage"),
        pytest.param({"settings": ["sample_by=a.b"]}, "own.json", "no column 'a', which sample_by names", id="column"),
        pytest.param(
            {"settings": ["sample_by=source", "sample_weights={wep: 1}"]}, "own.json", "mean 'web'", id="source"
        ),
        pytest.param({"config": "x.yaml", "model": "bpe"}, "own.json", "not both", id="both"),
    ],
)
def test_training_refuses(run: str, tmp_path: Path, options: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        train(run, tmp_path / name, **options)
    assert not list(tmp_path.iterdir())


def test_folders_of_what_is_written_are_made(run: str, tmp_path: Path) -> None:
    file = tmp_path / "sizes" / "own.json"
    train(run, file, vocab_size=300)
    assert sorted(one.name for one in file.parent.iterdir()) == ["own.json", "own.json.sample"]
    inspect(run, file, plot=str(tmp_path / "plots" / "own.svg"))
    assert (tmp_path / "plots" / "own.svg").stat().st_size > 10_000


def test_where_nothing_can_be_written_nothing_is_learnt(run: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot make a folder at .*file"):
        train(run, tmp_path / "file" / "own.json")
    with pytest.raises(InputError, match=r"cannot make a folder at .*file"):
        inspect(run, tmp_path / "none.json", plot=str(tmp_path / "file" / "own.svg"))


def test_a_file_that_names_no_tokenizer(run: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("tokeniser: {vocab_size: 300}\n")
    with pytest.raises(UserError, match=r"mine\.yaml:1: tokeniser: expected .* did you mean 'tokenizer'"):
        train(run, tmp_path / "own.json", config=str(tmp_path / "mine.yaml"))


def inspect(run: str, *files: Path | str, **options: Any) -> None:
    tokenizer.inspect(tokenizers=[str(one) for one in files], run=run, **options)


def test_inspection(corpus: Path, run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "plot.svg"
    inspect(run, corpus / "tokenizer.json", stage="gopher", widths="64", plot=str(plot))
    shown = capsys.readouterr().out
    for text in ("language en", "language de", "source web", "tokens/word", "unreachable", "most frequent", "64"):
        assert text in shown
    assert plot.stat().st_size > 10_000


def test_inspection_of_several_as_json(
    corpus: Path, run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for size in (280, 400):
        train(run, tmp_path / f"{size}.json", vocab_size=size)
    capsys.readouterr()
    files = [tmp_path / "280.json", tmp_path / "400.json"]
    inspect(run, *files, against=str(corpus / "tokenizer.json"), widths="8,16", sample_mb=1.0, as_json=True)
    small, large = json.loads(capsys.readouterr().out)
    assert (small["vocabulary"], large["vocabulary"]) == (280, 400)
    assert small["total"]["relative_tokens"] > 1 > large["total"]["relative_tokens"]
    assert [one["parameters"] for one in large["embeddings"]] == [3200, 6400]
    assert {"tokens_per_word", "bytes_per_token", "characters_per_token"} <= set(large["groups"][0])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param({"plot": "x.jpg"}, UserError, "a name that ends in .png or .svg", id="plot"),
        pytest.param({"widths": "12,x"}, UserError, "expected whole numbers above 0", id="widths"),
        pytest.param({"widths": "-1"}, UserError, "expected whole numbers above 0", id="width"),
        pytest.param({"against": "/none.json"}, InputError, "no file at /none.json", id="file"),
        pytest.param({"stage": "gofer"}, InputError, "did you mean 'gopher'", id="stage"),
    ],
)
def test_inspection_refuses(
    corpus: Path, run: str, options: dict[str, Any], error: type[WinnowError], message: str
) -> None:
    with pytest.raises(error, match=message):
        inspect(run, corpus / "tokenizer.json", **options)


def test_inspection_against_itself(corpus: Path, run: str) -> None:
    file = str(corpus / "tokenizer.json")
    with pytest.raises(UserError, match="is also in the list to inspect"):
        inspect(run, file, against=file)
