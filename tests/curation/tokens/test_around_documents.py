"""What a sealed tokenize stage says of its documents and of its copy of the tokenizer."""

import base64
from pathlib import Path
from typing import Any

import pytest

from curation.account.card.tokens import tokenizers
from curation.account.run import Run
from curation.core.manifest import Manifest, read_manifest
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.tokens.around_documents import around_documents, tokenizer_sha256
from curation.tokens.shards import TokenData
from tests.curation.tokens.encoders.public_tokenizers import every
from tests.curation.tokens.encoders.test_ranks_file import RANKS

RECIPE = """
version: 1
name: small
sources:
  web:
    - read: {jsonl: {paths: ["%s/a.jsonl"]}}
    - tokenize: {tokenizer: "%s", validation: 0.2}
    - pack: {sequence_length: 8}
    - mix: {}
"""


def curated(folder: Path, tokenizer: Path) -> tuple[Run, Manifest]:
    (folder / "a.jsonl").write_text(
        "".join(f'{{"text": "it is {number} o\'clock, all is well"}}\n' for number in range(40))
    )
    run = runner.curate(parse(RECIPE % (folder, tokenizer), "r.yaml"), str(folder / "run"), Inline())
    (stage,) = (stage for stage in run.stages if stage.verb.encodes)
    manifest = read_manifest(str(folder / "run" / stage.folder))
    assert manifest is not None
    return Run.open(str(folder / "run")), manifest


def test_of_a_folder(tmp_path: Path) -> None:
    """The copy is the file itself, which `verify` compares with its hash."""
    run, manifest = curated(tmp_path, every["llama_2"]().write(tmp_path / "llama"))
    assert around_documents(manifest) == {
        **around_documents(manifest),
        "begin": "<s>",
        "end": "</s>",
        "pattern": "auto",
    }
    (facts,) = tokenizers(run.stages)
    assert facts.sha256 == tokenizer_sha256(manifest) != ""
    assert not run.verify(deep=True).problems
    (copy,) = tmp_path.glob("run/*-tokenize-*/_tokenizer.json")
    copy.write_bytes(copy.read_bytes() + b" ")
    assert run.verify(deep=True).problems


def test_of_a_file_of_tiktoken(tmp_path: Path) -> None:
    """The copy is the tokenizer.json that was made of it, with which tokens decode to the text."""
    lines: list[Any] = [base64.b64encode(token) + b" %d\n" % rank for token, rank in RANKS.items()]
    (tmp_path / "gpt2.tiktoken").write_bytes(b"".join(lines))
    run, manifest = curated(tmp_path, tmp_path / "gpt2.tiktoken")
    assert (around_documents(manifest)["pattern"], tokenizer_sha256(manifest)) == ("gpt2", "")
    (facts,) = tokenizers(run.stages)
    assert (facts.kind, facts.vocabulary) == ("byte-level BPE", len(RANKS) + 2)
    assert not run.verify(deep=True).problems
    data = TokenData.open(str(tmp_path / "run"))
    assert (data.begin_of_text, data.end_of_text) == (None, len(RANKS))
    assert data.tokenizer_path.endswith("tokenizer.json")


def test_what_is_not_sealed_as_such(tmp_path: Path) -> None:
    _, manifest = curated(tmp_path, every["gpt_2"]().write(tmp_path / "gpt2"))
    manifest.address_parts["config"]["encode"].pop("begin")
    with pytest.raises(ValueError, match="the config of encode in the stage tokenize"):
        around_documents(manifest)
