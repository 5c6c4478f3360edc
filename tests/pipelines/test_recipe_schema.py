"""What `winnow schema` prints accepts every recipe that is shipped or documented, and refuses mistakes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from typer.testing import CliRunner

from curation.core import catalog
from curation.core.settings import load_yaml
from curation.core.verbs import VERBS
from pipelines.cli import app

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(ROOT.glob("pipelines/curate/*.yaml"))
PAGES = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
WHOLE = {"version", "sources"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(CliRunner().invoke(app, ["schema"]).stdout)
    Draft7Validator.check_schema(printed)
    return printed


def mistakes(schema: dict[str, Any], recipe: str) -> list[str]:
    document = load_yaml(recipe, "recipe").data
    return [f"{error.json_path}: {error.message}" for error in Draft7Validator(schema).iter_errors(document)]


def chain(*stages: str) -> str:
    return "version: 1\nsources:\n  web:\n" + "".join(f"    - {stage}\n" for stage in stages)


def documented() -> list[Any]:
    """The recipes of the pages, and their lists of stages."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL):
            data = None if "\n…" in f"\n{block}" else yaml.safe_load(block)  # … stands for lines that are left out
            if isinstance(data, dict) and data.keys() >= WHOLE:
                found.append(pytest.param(block, id=f"{page.name}, a recipe"))
            elif isinstance(data, list) and all(isinstance(stage, dict) and stage.keys() & VERBS for stage in data):
                found.append(
                    pytest.param(
                        yaml.safe_dump({"version": 1, "sources": {"web": data}}), id=f"{page.name}, {block[:30]!r}"
                    )
                )
    return found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_recipe_names_its_schema_and_follows_it(schema: dict[str, Any], path: Path) -> None:
    assert path.read_text().startswith("# yaml-language-server: $schema=recipe.schema.json\n")
    assert mistakes(schema, path.read_text()) == []


@pytest.mark.parametrize("recipe", documented())
def test_a_documented_recipe_follows_it(schema: dict[str, Any], recipe: str) -> None:
    assert mistakes(schema, recipe) == []


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param("read: {warc: {}}", id="paths by --input"),
        pytest.param("extract: resiliparse", id="a component by its key alone"),
        pytest.param("filter: {gopher_quality: {min_words: '@quantiles p5 by language.label'}}", id="a quantile"),
        pytest.param(
            "filter: {gopher_quality: {max_bullet_lines: .inf, by_language: shipped}}", id="no limit, and kits"
        ),
        pytest.param("fit: {tokenizer: {vocab_size: '50_257'}}", id="a number as editors read 50_257"),
        pytest.param("{dedup: {exact: }, keep: {sources: [web]}}", id="a choice among copies, no options"),
        pytest.param(
            "extract: {cascade: {first: {resiliparse: {}}, judge: {language: }, then: {trafilatura: }}}", id="held"
        ),
        pytest.param("fit: {extractor: {teacher: {resiliparse: {}, trafilatura: {}}}}", id="several held"),
    ],
)
def test_what_a_recipe_may_say(schema: dict[str, Any], stage: str) -> None:
    assert mistakes(schema, chain(stage)) == []


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        pytest.param("filtre: {gopher_quality: {}}", "'filtre' was unexpected", id="unknown verb"),
        pytest.param("filter: {gopher: {}}", "'gopher' was unexpected", id="unknown component"),
        pytest.param("filter: {gopher_quality: {min_word: 1}}", "'min_word' was unexpected", id="unknown option"),
        pytest.param("filter: {gopher_quality: {min_words: many}}", "does not match", id="wrong type"),
        pytest.param("fit: {tokenizer: {vocab_size: '@quantiles p5'}}", "does not match", id="no limit"),
        pytest.param(
            "tokenize: {tokeniser: x}", "'tokeniser' was unexpected", id="unknown option of the only component"
        ),
        pytest.param("tokenize: {}", "'tokenizer' is a required property", id="missing option"),
        pytest.param("pack: {method: worst_fit}", "is not one of ['concat'", id="unknown choice"),
        pytest.param("{pack: {}, mix: {}}", "is valid under each of", id="two verbs"),
        pytest.param("{pack: {}, keep: longest}", "'dedup' is a dependency of 'keep'", id="an option of another verb"),
        pytest.param("{pack: {}, expect_kept: [1]}", "is too short", id="half a range"),
        pytest.param("extract: {resiliparse: {}, etrafilatura: {}}", "has too many properties", id="two extractors"),
    ],
)
def test_what_an_editor_marks(schema: dict[str, Any], stage: str, message: str) -> None:
    found = mistakes(schema, chain(stage))
    assert message in " ".join(found)
    assert all(mistake.startswith("$.sources.web[0]") for mistake in found)


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("version: 2\nsources: {web: []}", "1 was expected"),
        ("version: 1", "'sources' is a required property"),
        ("version: 1\nsources: {web: []}\nshard: {}", "'shard' was unexpected"),
        ("version: 1\nsources: {web: []}\nshards: {group_mb: a}", "does not match"),
        ("version: 1\nsources: {web: []}\nstorage: {s3: {secret: abc}}", "is not of type"),
    ],
)
def test_the_top_level(schema: dict[str, Any], recipe: str, message: str) -> None:
    assert message in " ".join(mistakes(schema, recipe))


def test_options_are_explained(schema: dict[str, Any]) -> None:
    definitions = schema["definitions"]
    assert {f"{verb}.{key}" for verb in VERBS.values() for key in catalog.known(verb)} <= definitions.keys()
    gopher = definitions["filter.gopher_quality"]
    assert gopher["description"].startswith("Gopher quality rules: ")
    bullets = gopher["properties"]["max_bullet_lines"]
    assert (bullets["default"], bullets["description"]) == (0.9, "fraction of lines")
    phase = definitions["mix.mix"]["properties"]["phases"]["items"]["properties"]
    assert phase["share"]["type"] == ["number", "string", "null"]
    beside = definitions["stage"]["properties"]
    assert beside["name"]["description"].startswith("name of the stage")
