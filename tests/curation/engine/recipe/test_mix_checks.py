"""A mix is checked before any work: names that no pack will have, other runs that are not there or do not fit; packs of
other runs are joined where they lie, and known to its address."""

import json
import shutil
from pathlib import Path

import pytest

from curation.core.errors import InputError, RecipeError, UserError
from curation.core.manifest import RunRecord
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.mix_checks import other_packs
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.tokens.mix import Mix
from curation.tokens.shards import TokenData
from tests.curation.engine.inputs import write_sources
from tests.support import refusal

MIX = "mix: {weights: {news: 1, books: 1}}"
FIT = "  - fit: {tokenizer: {vocab_size: 300}}\n"


def curate(text: str, output: Path) -> RunRecord:
    return runner.curate(parse(text, "m.yaml"), str(output), Inline())


def recipe(tmp_path: Path, mix: str, tokenizer: str = "@tokenizer") -> str:
    """Of the two sources; `tokenizer` a path takes the place of the fit."""
    text = write_sources(tmp_path).replace(MIX, f"mix: {mix}").replace("@tokenizer", tokenizer)
    return text.replace(FIT, "") if tokenizer != "@tokenizer" else text


@pytest.fixture
def old(tmp_path: Path) -> Path:
    curate(write_sources(tmp_path), tmp_path / "old")
    return tmp_path / "old"


def tokenizer_of(run: Path) -> str:
    (path,) = run.glob("*-tokenizer-*/tokenizer.json")
    return str(path)


def index_of(run: Path) -> Path:
    (path,) = run.glob("*-mix-????????/index.json")
    return path


def test_a_run_that_joins_the_packs_of_another(tmp_path: Path, old: Path) -> None:
    mix = f"{{runs: {{before: {old}}}, weights: {{news: 1, books: 0, before/news: 1, before/books: 2}}}}"
    run = curate(recipe(tmp_path, mix, tokenizer_of(old)), tmp_path / "run")
    data = TokenData.open(str(tmp_path / "run"))
    assert data.sources == ["before/books", "before/news", "news"]
    (pack,) = old.glob("*-pack-*")
    index = json.loads(index_of(tmp_path / "run").read_text())
    assert index["runs"] == {"before": [str(pack)]}
    assert index["packs"][1] == str(pack)
    rows = {entry["source"]: entry["rows"] for entry in index["entries"]}
    assert abs(rows["before/books"] - 2 * rows["news"]) <= 1
    seen = [file for file, _ in data.locate(0, batch_rows=data.rows)]
    assert sum(file.startswith(str(pack)) for file in seen) == rows["before/books"] + rows["before/news"]
    data.verify()
    parts = json.loads((index_of(tmp_path / "run").parent / "_manifest.json").read_text())["address_parts"]
    assert parts["runs"] == {"before": [[str(pack), pack_address(old)]]}
    assert "runs" not in parts["config"]["mix"]
    assert run.complete


def pack_address(run: Path) -> str:
    (pack,) = run.glob("*-pack-*/_manifest.json")
    address: str = json.loads(pack.read_text())["address"]
    return address


def test_what_the_other_run_holds_and_where_it_lies_changes_the_address(tmp_path: Path, old: Path) -> None:
    text = recipe(tmp_path, f"{{runs: {{before: {old}}}}}", tokenizer_of(old))
    first = curate(text, tmp_path / "run").stages[-1].address
    assert curate(text, tmp_path / "run").stages[-1].address == first
    shutil.copytree(old, tmp_path / "moved")
    moved = curate(text.replace(f"before: {old}", f"before: {tmp_path / 'moved'}"), tmp_path / "run")
    assert moved.stages[-1].address != first
    (manifest,) = old.glob("*-pack-*/_manifest.json")
    manifest.write_text(manifest.read_text().replace(pack_address(old), "ab" * 32))
    assert curate(text, tmp_path / "run").stages[-1].address not in (first, moved.stages[-1].address)


def test_names_of_another_run_are_known_before_work(tmp_path: Path, old: Path) -> None:
    for mix, message in (
        ("weights: {news: 1, books: 1, before/web: 1}", "'before/web', which no pack holds"),
        ("weights: {news: 1, books: 1, before/news: 1}", "no weight for source 'before/books'"),
    ):
        text = recipe(tmp_path, f"{{runs: {{before: {old}}}, {mix}}}")
        with pytest.raises(RecipeError, match=message):
            build_plan(parse(text, "m.yaml"))
    text = recipe(tmp_path, f"{{runs: {{news: {old}}}}}")
    with pytest.raises(RecipeError, match="'news' is a source of this recipe; give the other run another name"):
        build_plan(parse(text, "m.yaml"))


def test_another_row_length_or_tokenizer_is_refused_before_work(tmp_path: Path, old: Path) -> None:
    text = recipe(tmp_path, f"{{runs: {{before: {old}}}}}")
    build_plan(parse(text, "m.yaml"))
    with pytest.raises(RecipeError, match="has rows of sequence_length 32, this recipe packs 33"):
        build_plan(parse(text.replace("sequence_length: 32", "sequence_length: 33"), "m.yaml"))
    other = tmp_path / "other.json"
    other.write_text(Path(tokenizer_of(old)).read_text() + "\n")
    given = recipe(tmp_path, f"{{runs: {{before: {old}}}}}", str(other))
    with pytest.raises(RecipeError, match=r"made with another tokenizer; tokenize with .*-pack-.*/tokenizer\.json"):
        build_plan(parse(given, "m.yaml"))


def test_documents_that_begin_otherwise_are_refused_before_work(tmp_path: Path, old: Path) -> None:
    text = recipe(tmp_path, f"{{runs: {{before: {old}}}}}", tokenizer_of(old))
    build_plan(parse(text, "m.yaml"))
    begun = text.replace("tokenize: {", 'tokenize: {begin: "<|endoftext|>", ')
    with pytest.raises(RecipeError, match="documents begin and end with the ids none and 0; give `begin` and `end` so"):
        build_plan(parse(begun, "m.yaml"))


def test_a_run_is_named_once(tmp_path: Path, old: Path) -> None:
    """However its path is written, and not as one of the sources that it already has."""
    (tmp_path / "beside").mkdir()
    beside = f"{tmp_path}/beside/../{old.name}/"
    with pytest.raises(InputError, match="runs: a and b are the same folder"):
        other_packs({"a": str(old), "b": beside})
    text = write_sources(tmp_path).replace(MIX, f"mix: {{runs: {{self: {beside}}}}}")
    with pytest.raises(RecipeError, match=r"m.yaml:16: joined.4.mix: runs: self at .* is this run itself"):
        curate(text, old)


def test_labels_are_known_before_work(tmp_path: Path, old: Path) -> None:
    mix = f"{{runs: {{before: {old}}}, weights: {{news/a: 1, others: 0, before: 1}}}}"
    text = recipe(tmp_path, mix).replace("pack: {", "pack: {split_by: {column: url, values: [a]}, ")
    build_plan(parse(text, "m.yaml"))
    with pytest.raises(RecipeError, match="'news/aa', which no pack holds; did you mean 'news/a'"):
        build_plan(parse(text.replace("news/a:", "news/aa:"), "m.yaml"))


def test_a_tokenizer_that_is_fitted_anew_is_refused_when_it_is_known(tmp_path: Path, old: Path) -> None:
    text = recipe(tmp_path, f"{{runs: {{before: {old}}}}}").replace("vocab_size: 300", "vocab_size: 290")
    with pytest.raises(UserError, match=r"has vocabulary 300, .*-pack-.* has 290; pack both with one tokenizer"):
        curate(text, tmp_path / "run")


def test_other_runs_must_be_finished(tmp_path: Path, old: Path) -> None:
    (found,) = other_packs({"before": str(old)})["before"]
    assert (found.address, found.section["row_tokens"]) == (pack_address(old), 33)
    run = json.loads((old / "run.json").read_text())
    (old / "run.json").write_text(json.dumps(run | {"complete": False}))
    with pytest.raises(InputError, match=r"before at .*/old is not finished, or packs nothing"):
        other_packs({"before": str(old)})
    (old / "run.json").write_text(json.dumps(run))
    (manifest,) = old.glob("*-pack-*/_manifest.json")
    manifest.unlink()
    with pytest.raises(InputError, match="not finished"):
        other_packs(Mix(runs={"before": str(old)}).runs)


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        ("{weights: {news: 1, boks: 1}}", "'boks', which no pack holds; did you mean 'books'"),
        pytest.param("{weights: {news: 1}}", "no weight for source 'books'", id="left out"),
        pytest.param("{weights: {news/a: 1, books: 1}}", "'news/a', which no pack holds", id="not split"),
        pytest.param("{max_epochs: {web: 2}}", "max_epochs names 'web'", id="epochs of an unknown source"),
        pytest.param("{weights: {news: 0, books: 0}}", "every weight is 0", id="all 0"),
        pytest.param("{phases: [{name: a, share: 1, weights: {x: 1}}]}", "names 'x'", id="phase"),
        pytest.param("{tokens: 31}", "mix.tokens: 31 tokens are less than one row of 32", id="less than a row"),
        pytest.param("{runs: {old: nowhere}}", "old is no run, .*/nowhere has no run.json", id="no run"),
    ],
)
def test_refused_before_any_work(tmp_path: Path, mix: str, message: str) -> None:
    with pytest.raises(RecipeError, match=f"m.yaml:16: joined.4.*{message}"):
        build_plan(parse(recipe(tmp_path, mix), "m.yaml"))


def test_a_source_that_will_be_split_may_have_weights_for_its_parts(tmp_path: Path) -> None:
    text = recipe(tmp_path, "{weights: {news/a: 1, news/b: 2, books/a: 1, others: 0}}")
    split = text.replace("pack: {", "pack: {split_by: {column: url}, ")
    assert build_plan(parse(split, "m.yaml"))[-1].verb.name == "mix"
    assert refusal(lambda: build_plan(parse(text, "m.yaml"))) is not None


LANGUAGES = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: [web.jsonl]}}
    - filter: {language: {languages: [en, de]}}
  forum:
    - read: {jsonl: {paths: [forum.jsonl]}}
    - filter: {language: {languages: [de]}}
  notes:
    - read: {jsonl: {paths: [notes.jsonl]}}
    - filter: {language: %s}
joined:
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer"}
  - pack: {split_by: {column: language.label%s}}
  - mix:
      tokens: 5000
      weights: %s
"""


@pytest.mark.parametrize("values", ["", ", values: [en, de]"])
@pytest.mark.parametrize(
    ("notes", "weights", "message"),
    [
        pytest.param("{languages: [en]}", '{"*/en": 70, "*/de": 30}', None, id="of every source"),
        pytest.param("{languages: [en]}", "{web/en: 40, web/de: 25, forum: 30, notes/en: 5}", None, id="by source"),
        pytest.param("{languages: [en]}", "{web/en: 40, others: 60}", None, id="the rest"),
        pytest.param(
            "{languages: [en]}",
            "{web/en: 40, forum/de: 30, notes: 5}",
            "no weight for 'web/de'; give it one",
            id="left out",
        ),
        pytest.param(
            "{languages: [de, en]}", "{web: 40, forum/de: 30, notes/de: 5}", "no weight for 'notes/en'", id="kept too"
        ),
        pytest.param("{}", '{"*/en": 70, "*/de": 30}', "notes", id="any language"),
        pytest.param("{}", '{"*/en": 70, "*/de": 30, others: 0}', None, id="any language, and the rest left out"),
    ],
)
def test_weights_by_language(values: str, notes: str, weights: str, message: str | None) -> None:
    refused = refusal(lambda: build_plan(parse(LANGUAGES % (notes, values, weights), "m.yaml")))
    if message is None:
        assert refused is None
    else:
        assert str(refused).startswith("m.yaml:19: joined.3.mix.weights: ")
        assert message in str(refused)


@pytest.mark.parametrize(
    ("column", "missing"),
    [
        pytest.param("gopher_quality.words", None, id="documents without a value were dropped"),
        pytest.param("gopher_quality.ellipsis_lines", None, id="by a limit on this column"),
        pytest.param("minhash.copies", "web/none", id="nothing bounds it"),
    ],
)
def test_weights_of_ranges(column: str, missing: str | None) -> None:
    text = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: [web.jsonl]}}
    - filter: {gopher_quality: {}}
    - dedup: {minhash: {}}
    - fit: {tokenizer: {vocab_size: 300}}
    - tokenize: {tokenizer: "@tokenizer"}
    - pack: {split_by: {column: %s, edges: [2]}}
    - mix: {weights: {web/below_2: 1, web/from_2: 2}}
"""
    refused = refusal(lambda: build_plan(parse(text % column, "m.yaml")))
    assert (refused is None) if missing is None else (f"no weight for '{missing}'" in str(refused)), refused


def test_the_last_stage_names_its_line(tmp_path: Path) -> None:
    """Only the documents tell that no row of books is left."""
    text = recipe(tmp_path, "{weights: {news: 1, books: 1}}").replace(
        "  - tokenize", "  - filter: {c4_quality: {min_sentences: 100000}}\n    expect_kept: [0, 1]\n  - tokenize"
    )
    with pytest.raises(RecipeError, match=r"m.yaml:18: joined.5.mix: .* has no training row: take it out of `weights`"):
        curate(text, tmp_path / "run")


def test_paths_of_other_runs_hold_no_credentials() -> None:
    with pytest.raises(InputError, match=r"runs: old: .* has credentials, which the index of the mix would keep"):
        other_packs({"old": "s3://key:secret@bucket/run"})
