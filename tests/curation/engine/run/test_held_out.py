"""Few documents are held out by tokens, whatever the shards, and a share that whole documents cannot make is told."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.core.manifest import RunRecord
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse

RECIPE = """
version: 1
sources:
  books:
    - read: {jsonl: {paths: ["%s/*.jsonl"]}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer", validation: %s}
"""


def curate(folder: Path, sizes: list[list[int]], validation: float) -> RunRecord:
    """A file for each list of documents, which have so many words."""
    folder.mkdir(exist_ok=True)
    for name, own in enumerate(sizes):
        rows = [json.dumps({"text": " ".join([f"book{words}"] + ["word"] * (words - 1))}) for words in own]
        (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    text = "shards: {group_mb: 0}" + RECIPE % (folder, validation)
    return runner.curate(parse(text, "books.yaml"), str(folder / "run"), Inline(), lambda progress: None)


def split_of(folder: Path) -> dict[str, int]:
    """Tokens by split."""
    parts = sorted(folder.glob("run/*-tokenize-*/part-*.parquet"))
    table = pa.concat_tables([pq.read_table(part, columns=["tokens", "split"]) for part in parts])
    lengths = pc.list_value_length(table["tokens"])
    return {
        split: pc.sum(lengths.filter(pc.equal(table["split"], split))).as_py() or 0 for split in ("train", "validation")
    }


def test_the_share_of_tokens_is_right_and_the_same_documents_are_held_out_of_any_shards(tmp_path: Path) -> None:
    sizes = [200 + 7 * number for number in range(60)]
    held_out = []
    for shards in (1, 3):
        folder = tmp_path / str(shards)
        curate(folder, [sizes[first::shards] for first in range(shards)], 0.1)
        tokens = split_of(folder)
        assert tokens["validation"] / sum(tokens.values()) == pytest.approx(0.1, abs=0.01)
        stages = Run.open(str(folder / "run")).funnel().stages
        assert not [warning for line in stages for warning in line.warnings]
        assert not list(folder.glob("run/*-tokenize-*/_candidates"))
        rows = Run.open(str(folder / "run")).stage("tokenize").scan(["text"], pc.field("split") == "validation")
        held_out.append({text for batch in rows for text in batch["text"].to_pylist()})
    assert held_out[0] == held_out[1]


def test_books_that_are_longer_than_the_share_stay_and_that_is_told(tmp_path: Path) -> None:
    curate(tmp_path, [[1000, 1100, 1200, 1300, 1400]], 0.02)
    assert split_of(tmp_path)["validation"] == 0
    (warning,) = [w for line in Run.open(str(tmp_path / "run")).funnel().stages for w in line.warnings]
    assert warning.startswith("books: 0 of ")
    assert "0.0 %, where 2 % were asked for: only whole documents are held out, and its 5 are too few" in warning
