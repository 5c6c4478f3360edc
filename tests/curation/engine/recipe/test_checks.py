"""Refused before any work: fits that are not there, languages that never arrive, columns that cannot be split by."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.errors import RecipeError
from curation.engine.recipe.checks import check_columns
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.run import runner
from curation.engine.run.session import Session
from curation.tokens.packing.split_by import SplitBy
from tests.curation.engine.inputs import write_sources

FIT = "  - fit: {tokenizer: {vocab_size: 300}}"


def plan(folder: Path, fit: str, wanted: str = "@tokenizer") -> list[str]:
    recipe = write_sources(folder).replace(FIT, fit).replace('"@tokenizer"', f'"{wanted}"')
    return [node.name for node in build_plan(parse(recipe, "joined.yaml"))]


@pytest.mark.parametrize(
    ("stage", "option", "message"),
    [
        (
            "  - dedup: {exact: {}}",
            "max_failed_inputs: 3",
            "max_failed_inputs: it has no effect, as the stage reads no",
        ),
        (FIT, "expect_kept: [0.5, 1]", "joined.1.expect_kept: it has no effect, as fit drops no documents; leave it"),
        ("  - pack: {sequence_length: 32}", "max_errors: 0.5", "it has no effect, as pack drops no documents"),
        ("  - mix: {weights: {news: 1, books: 1}}", "max_failed_inputs: 1", "it has no effect, as the stage reads no"),
    ],
)
def test_an_option_without_effect_beside_a_verb(tmp_path: Path, stage: str, option: str, message: str) -> None:
    recipe = write_sources(tmp_path)
    assert stage in recipe
    with pytest.raises(RecipeError, match=re.escape(message)):
        build_plan(parse(recipe.replace(stage, f"{stage}\n    {option}"), "joined.yaml"))


@pytest.mark.parametrize(
    "part", ["tokenizer: {model: unigram}", "sentencepiece: {}", "sentencepiece: {model_type: bpe}"]
)
def test_a_tokenizer_may_come_from_either_fit(tmp_path: Path, part: str) -> None:
    key = part.partition(":")[0]
    assert key in plan(tmp_path, f"  - fit: {{{part}}}", f"@{key}")
    assert "mine" in plan(tmp_path, f"  - fit: {{{part}}}\n    name: mine", "@mine")


@pytest.mark.parametrize(
    ("fit", "wanted", "message"),
    [
        pytest.param(
            "  - fit: {unigrams: {}}",
            "@unigrams",
            "@unigrams makes a unigrams; tokenizer takes what `fit: tokenizer` or `fit: sentencepiece` makes",
            id="another fit",
        ),
        pytest.param("", "@tokenizer", "put `- fit: {tokenizer: {}}` before this stage", id="none"),
        pytest.param(FIT, "@tokeniser", "did you mean 'tokenizer'", id="misspelt"),
        pytest.param(FIT, "/none/tokenizer.json", "no file at /none/tokenizer.json", id="no file"),
        pytest.param(FIT, "", "needs a tokenizer: a path, or @", id="empty"),
    ],
)
def test_what_the_option_cannot_take(tmp_path: Path, fit: str, wanted: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        plan(tmp_path, fit, wanted)


LANGUAGES = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {language: {languages: [en, de]}}
    - rewrite: {unicode: {}}
"""
GERMAN = "{by_language: {de: {min_words: 5}}}"


def planned(stage: str) -> None:
    build_plan(parse(LANGUAGES + f"    - {stage}\n", "r.yaml"))


def test_limits_of_languages_that_arrive() -> None:
    planned(f"filter: {{gopher_quality: {GERMAN}}}")
    planned(f"rewrite: {{c4_lines: {GERMAN}}}")


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        pytest.param(
            f"filter: {{gopher_quality: {GERMAN.replace('de', 'German')}}}",
            "by_language.German: the language stage finds no such language; did you mean 'de'?",
            id="a name",
        ),
        pytest.param(
            f"rewrite: {{c4_lines: {GERMAN.replace('de', 'ja')}}}",
            "by_language.ja: the language stage keeps no document in it, only de, en; remove it",
            id="not wanted",
        ),
        pytest.param(
            "filter: {perplexity: {models: {ja: a.arpa}}}",
            "models.ja: the language stage keeps no document",
            id="models",
        ),
        pytest.param(
            "filter: {toxicity: {term_lists: {xx: a.txt}}}", "term_lists.xx: the language stage finds no", id="files"
        ),
    ],
)
def test_languages_that_never_arrive(stage: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        planned(stage)
    assert message in str(caught.value)


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
        pytest.param(
            "{column: minhsh.copies, edges: [2]}",
            "no column 'minhsh', which split_by names; did you mean 'minhash'",
            id="name",
        ),
        pytest.param(
            "{column: minhash.copys, edges: [2]}",
            "minhash has no field 'copys', which split_by names; did you",
            id="field",
        ),
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


def test_columns_of_shards() -> None:
    columns = {"a": pa.struct([("b", pa.int64())]), "c": None}
    check_columns(SplitBy(column="a.b", edges=(1,)), columns)
    check_columns(SplitBy(column="c.d.e"), columns)
    with pytest.raises(RecipeError, match="a has no field 'c'"):
        check_columns(SplitBy(column="a.c"), columns)


def test_a_run_with_sub_sources(tmp_path: Path, ran: object) -> None:
    words = ["lorem ipsum dolor sit amet consectetur adipiscing elit", "short text"]
    rows = [{"text": f"{words[i % 2]} number {i}"} for i in range(60)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    limits = "{min_words: 0, min_mean_word_length: 0, min_alphabetic_words: 0, min_stop_words: 0}"
    text = SPLIT.replace("a.jsonl", f"{tmp_path}/a.jsonl").replace("gopher_quality: {}", f"gopher_quality: {limits}")
    text = text.replace("    - dedup: {minhash: {}}\n", "") + (
        "    - pack: {method: best_fit, sequence_length: 64, split_by: {column: gopher_quality.words, edges: [5]}}\n"
        "    - mix: {}\n"
    )
    run = runner.curate(parse(text, "m"), str(tmp_path / "run"), Session())
    manifest = json.loads((tmp_path / "run" / run.stages[-2].folder / "_manifest.json").read_text())
    section = manifest["tokens"]
    assert set(section["sources"]) == {"docs/below_5", "docs/from_5"}
    documents = {
        leaf: sum(split["documents"] for split in splits.values()) for leaf, splits in section["sources"].items()
    }
    assert documents == {"docs/below_5": 30, "docs/from_5": 30}
    assert all(f"-{part['source'].rpartition('/')[2]}" in part["name"] for part in section["parts"])
    assert (section["method"], section["format_version"]) == ("best_fit", 2)


KEYED = """
version: 1
name: keyed
sources:
  notes:
    - read: {jsonl: {paths: [a.jsonl]}}
    - rewrite:
        secrets: {action: surrogate, key_id: spring, key: {file: %s}}
"""


def test_a_key_that_everyone_may_read(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("correct horse battery staple")
    key.chmod(0o604)
    recipe = parse(KEYED % key, "keyed.yaml")
    with pytest.raises(RecipeError, match=r"^keyed.yaml:8: .*key: everyone on this machine may read") as caught:
        build_plan(recipe)
    assert "horse" not in str(caught.value)
    key.chmod(0o600)
    build_plan(recipe)


def test_an_action_on_a_kind_that_is_never_found() -> None:
    recipe = parse(KEYED.replace("action: surrogate, key_id: spring, key: {file: %s}", "actions: {jvt: remove}"), "m")
    with pytest.raises(RecipeError, match="actions: no kind 'jvt'; did you mean 'jwt'"):
        build_plan(recipe)
