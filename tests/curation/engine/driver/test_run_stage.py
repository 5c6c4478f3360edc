"""What each verb leaves in its folder, and that a step whose units do not commit is an error."""

import json
from pathlib import Path

from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources

FILES = {
    "news-read": {"part-00000.parquet", "_commits/group-00000.arrow",
                  "_buckets/bucket-00000.parquet"},
    "news-gopher_quality": {"part-00001.parquet"},
    "dedup": {"_keys/keys-00002.arrow", "part-00002.parquet"},
    "tokenizer": {"tokenizer.json"},
    "tokenize": {"_tokenizer.json", "part-00002.parquet"},
    "pack": {"tokenizer.json", "tokens-00000.bin", "tokens-00000.idx", "tokens-00000.parquet"},
    "mix": {"index.json"},
}  # fmt: skip


def test_what_each_verb_writes(tmp_path: Path) -> None:
    run = runner.curate(parse(write_sources(tmp_path), "m"), str(tmp_path / "run"), Inline())
    for stage in run.stages:
        folder = tmp_path / "run" / stage.folder
        written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        assert FILES.get(stage.name, set()) | {"_manifest.json"} <= written
    tokenizer, pack = (
        next((tmp_path / "run").glob(f"*-{name}-????????")) / "tokenizer.json" for name in ("tokenizer", "pack")
    )
    assert tokenizer.read_bytes() == pack.read_bytes()
    assert len(json.loads(tokenizer.read_text())["model"]["vocab"]) == 300


def test_a_sentencepiece_model_goes_with_the_tokens(tmp_path: Path) -> None:
    fit = "fit: {sentencepiece: {vocab_size: 400, character_coverage: 0.98}}"
    recipe = (
        write_sources(tmp_path)
        .replace("fit: {tokenizer: {vocab_size: 300}}", fit)
        .replace("@tokenizer", "@sentencepiece")
    )
    runner.curate(parse(recipe, "m"), str(tmp_path / "run"), Inline())
    fitted, tokenize, pack = (
        next((tmp_path / "run").glob(f"*-{name}-????????")) for name in ("sentencepiece", "tokenize", "pack")
    )
    content = (fitted / "tokenizer.model").read_bytes()
    assert (tokenize / "_tokenizer.model").read_bytes() == (pack / "tokenizer.model").read_bytes() == content
    section = json.loads((pack / "_manifest.json").read_text())["tokens"]
    assert section["tokenizer"]["file"] == "tokenizer.model"
    assert section["vocabulary"] == 400
