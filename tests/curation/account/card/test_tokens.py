"""Tokenizer and packed rows as the run's files have them."""

import hashlib
import json
from pathlib import Path

import pytest

from curation.account.card.tokens import digest, packings, tokenizers
from curation.account.mixture import mixture
from curation.account.run import Run
from tests.curation.account.cards import copied, edit_json, text
from tests.curation.account.corpus import curate


def test_a_tokenizer_learnt_in_the_run(carded: str) -> None:
    (one,) = tokenizers(Run.open(carded).stages)
    assert (one.kind, one.vocabulary) == ("byte-level BPE", 300)
    content = (Path(carded) / one.file).read_bytes()
    assert one.sha256 == hashlib.sha256(content).hexdigest()
    assert one.fitted is not None
    assert one.fitted["vocab_size"] == 300
    texts = [text(number) for number in (0, 1, 2, 3, 4, 10, 11)]
    assert (one.documents, one.text_bytes) == (7, sum(len(one.encode()) for one in texts))


def test_a_tokenizer_given_to_the_run(corpus: Path) -> None:
    run = curate(corpus)
    (one,) = tokenizers(run.stages)
    assert (one.kind, one.vocabulary, one.fitted, one.documents) == ("byte-level BPE", None, None, None)
    assert one.sha256 == hashlib.sha256((corpus / "tokenizer.json").read_bytes()).hexdigest()
    assert (Path(run.folder) / one.file).read_bytes() == (corpus / "tokenizer.json").read_bytes()


def test_the_vocabulary_is_told_by_the_packs_of_that_tokenizer_alone(carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    (path,) = run.glob("*-pack-*/_manifest.json")
    section = json.loads(path.read_text())["tokens"]
    edit_json(path, tokens={**section, "tokenizer": {**section["tokenizer"], "blake2b": "0" * 64}})
    assert [one.vocabulary for one in tokenizers(Run.open(run).stages)] == [None]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        pytest.param('{"model": {"type": "Unigram"}, "pre_tokenizer": {"type": "Metaspace"}}', "Unigram", id="Unigram"),
        pytest.param('{"model": {"type": "WordPiece"}, "pre_tokenizer": null}', "WordPiece", id="WordPiece"),
        pytest.param("\x0a\x0b\x0c", "SentencePiece", id="a SentencePiece model"),
    ],
)
def test_kinds(content: str, kind: str, carded: str, tmp_path: Path) -> None:
    run = copied(carded, tmp_path / "run")
    (one,) = tokenizers(Run.open(carded).stages)
    (run / one.file).write_text(content)
    assert [two.kind for two in tokenizers(Run.open(run).stages)] == [kind]


def test_no_tokens(untokenized: str) -> None:
    stages = Run.open(untokenized).stages
    assert (tokenizers(stages), packings(stages), mixture(stages)) == ((), (), None)


def test_packing_adds_up(carded: str) -> None:
    (one,) = packings(Run.open(carded).stages)
    assert (one.stage, one.method, one.row_tokens, one.dtype, one.vocabulary) == ("pack", "concat", 33, "uint16", 300)
    assert sum(split.documents for split in one.splits) == 7
    assert {(split.source, split.split) for split in one.splits} == {
        (source, split) for source in ("web", "books") for split in ("train", "validation")
    }
    files = sorted(
        path for path in (Path(carded) / one.folder).iterdir() if path.suffix in (".bin", ".idx", ".parquet")
    )
    assert (one.files, one.file_bytes) == (len(files), sum(path.stat().st_size for path in files))
    lines = [f"{hashlib.blake2b(path.read_bytes(), digest_size=32).hexdigest()} {path.name}\n" for path in files]
    assert one.digest == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_one_digest_whatever_the_order() -> None:
    assert digest([("b", "two"), ("a", "one")]) == digest([("a", "one"), ("b", "two")])
    assert digest([("a", "one")]) == hashlib.sha256(b"a one\n").hexdigest()
