"""Refused before any work: columns that are not there, or that cannot be split by."""

import json
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse

SPLIT = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {gopher_quality: {}}
    - dedup: {minhash: {}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer"}
"""


@pytest.mark.parametrize(
    ("split_by", "message"),
    [
        ("{column: minhsh.copies, edges: [2]}", "no column 'minhsh', which split_by names; did you mean 'minhash'"),
        ("{column: minhash.copys, edges: [2]}", "minhash has no field 'copys', which split_by names; did you"),
        pytest.param("{column: source.x}", "source has no field 'x'", id="no struct"),
        pytest.param("{column: minhash}", "cannot take the values of minhash.*give a field of it", id="a struct"),
        pytest.param("{column: url, edges: [2]}", "edges need numbers, url holds string", id="text has no edges"),
        pytest.param("{column: gopher_quality.mean_word_length}", "holds double; give edges", id="fractions"),
        pytest.param("{column: minhash.copies, edges: [5, 2]}", "each above the one before", id="falling edges"),
        pytest.param("{column: minhash.copies, edgs: [5]}", "unknown option 'edgs'", id="unknown option"),
        pytest.param("{edges: [5]}", "column must be given", id="no column"),
    ],
)
def test_refused_before_any_work(split_by: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"m:10: .*split_by.*{message}"):
        build_plan(parse(SPLIT + f"    - pack: {{split_by: {split_by}}}", "m"))


@pytest.mark.parametrize(
    "split_by",
    ["{column: minhash.copies, edges: [2, 5]}", "{column: source}", "{column: gopher_quality.words, edges: [100]}"],
)
def test_columns_that_are_there(split_by: str) -> None:
    assert build_plan(parse(SPLIT + f"    - pack: {{split_by: {split_by}}}", "m"))[-1].verb.packs


def test_a_column_whose_fields_a_fitted_file_decides_is_taken_on_trust() -> None:
    head = SPLIT.replace("{gopher_quality: {}}", '{unigram_divergence: {reference: "@unigrams"}}').replace(
        "    - filter", "    - fit: {unigrams: {}}\n    - filter"
    )
    build_plan(parse(head + "    - pack: {split_by: {column: unigram_divergence.nats, edges: [1]}}", "m"))
    with pytest.raises(RecipeError, match="no column 'gopher_quality'"):
        build_plan(parse(head + "    - pack: {split_by: {column: gopher_quality.words, edges: [1]}}", "m"))


def test_every_source_must_have_it() -> None:
    text = SPLIT.replace("    - dedup: {minhash: {}}\n", "").split("    - fit")[0]
    text += "  code:\n    - read: {jsonl: {paths: [b.jsonl]}}\njoined:\n  - fit: {tokenizer: {vocab_size: 300}}\n"
    text += '  - tokenize: {tokenizer: "@tokenizer"}\n  - pack: {split_by: {column: %s}}\n'
    with pytest.raises(RecipeError, match="no column 'gopher_quality', which the source code lacks, unlike docs"):
        build_plan(parse(text % "gopher_quality.words", "m"))
    build_plan(parse(text % "source", "m"))


def test_a_run_with_sub_sources(tmp_path: Path) -> None:
    words = ["lorem ipsum dolor sit amet consectetur adipiscing elit", "short text"]
    rows = [{"text": f"{words[i % 2]} number {i}"} for i in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    limits = "{min_words: 0, min_mean_word_length: 0, min_alphabetic_words: 0, min_stop_words: 0}"
    text = SPLIT.replace("a.jsonl", f"{tmp_path}/a.jsonl").replace("gopher_quality: {}", f"gopher_quality: {limits}")
    text = text.replace("    - dedup: {minhash: {}}\n", "") + (
        "    - pack: {method: best_fit, sequence_length: 64, split_by: {column: gopher_quality.words, edges: [5]}}\n"
        "    - mix: {}\n"
    )
    run = runner.curate(parse(text, "m"), str(tmp_path / "run"), Inline())
    manifest = json.loads((tmp_path / "run" / run.stages[-2].folder / "_manifest.json").read_text())
    section = manifest["tokens"]
    assert set(section["sources"]) == {"docs/below_5", "docs/from_5"}
    documents = {
        leaf: sum(split["documents"] for split in splits.values()) for leaf, splits in section["sources"].items()
    }
    assert documents == {"docs/below_5": 30, "docs/from_5": 30}
    assert all(f"-{part['source'].rpartition('/')[2]}" in part["name"] for part in section["parts"])
    assert (section["method"], section["format_version"]) == ("best_fit", 2)
