"""Fitting: the asset is written and hashed beside what it was learnt from."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from curation.core.manifest import read_manifest
from curation.engine.recipe.recipe import parse
from curation.engine.run import runner
from curation.engine.run.fit import FitStep
from curation.engine.run.session import Session
from curation.engine.run.work import Unit
from tests.curation.engine.inputs import numbered_shards, write_sources


@dataclass(frozen=True)
class Joined:
    """Its asset is all text that it was given."""

    version: ClassVar[int] = 1
    sample_bytes: int = 1 << 20
    asset: str = "joined.txt"

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        return "\n".join(text for array in texts for text in array.to_pylist()).encode()


def test_the_asset_is_written_with_its_hash_and_what_was_drawn(tmp_path: Path, ran: object) -> None:
    entry = FitStep(Joined(), numbered_shards(tmp_path, rows=10), str(tmp_path)).run(Unit(0, None)).extra["asset"]
    content = (tmp_path / "joined.txt").read_bytes()
    assert content.split() == [b"%d" % n for n in range(20) if n % 4 != 3]
    all_text = {"group": "all text", "available_bytes": 22, "target_bytes": 22, "documents": 15, "sample_bytes": 22}
    assert entry == {
        "file": "joined.txt",
        "sha256": hashlib.sha256(content).hexdigest(),
        "sample": {"by": "", "groups": [all_text]},
    }


def test_more_text_than_the_sample_holds_is_sampled(tmp_path: Path, ran: object) -> None:
    shards = numbered_shards(tmp_path)  # 3,000 documents of up to four digits
    FitStep(Joined(sample_bytes=2_000), shards, str(tmp_path)).run(Unit(0, None))
    assert 300 < len((tmp_path / "joined.txt").read_bytes().split()) < 800


def test_a_run_with_a_balanced_sentencepiece_model(tmp_path: Path, ran: object) -> None:
    options = "vocab_size: 400, model_type: bpe, sample_by: source, sample_bytes: 6000, sample_temperature: .inf"
    recipe = write_sources(tmp_path).replace("{tokenizer: {vocab_size: 300}}", f"{{sentencepiece: {{{options}}}}}")
    recipe = recipe.replace("@tokenizer", "@sentencepiece")
    run = runner.curate(parse(recipe, "joined.yaml"), str(tmp_path / "run"), Session())
    found = {entry.name: read_manifest(str(tmp_path / "run" / entry.folder)) for entry in run.stages}
    fitted, packed = found["sentencepiece"], found["pack"]
    assert fitted is not None
    assert fitted.asset is not None
    assert fitted.asset["file"] == "tokenizer.model"
    assert [(one["group"], one["target_bytes"]) for one in fitted.asset["sample"]["groups"]] == [
        ("books", 3000),
        ("news", 3000),
    ]
    assert packed is not None
    assert packed.tokens is not None
    assert packed.tokens["tokenizer"]["file"] == "tokenizer.model"
    assert packed.tokens["end_of_text"] == 0
