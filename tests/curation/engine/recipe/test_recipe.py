"""Recipes: YAML to frozen parts, and one clear line for each mistake."""

import pytest

from curation.core.errors import RecipeError, UserError
from curation.engine.recipe.recipe import parse
from curation.filters.gopher_quality import GopherQuality

GOOD = """
version: 1
sources:
  docs:
    - read: {jsonl: {paths: [a.jsonl]}}
    - filter: {gopher_quality: {min_words: 10}, gopher_repetition: {}}
      expect_kept: [0.1, 0.9]
joined:
  - dedup: exact
  - tokenize: {tokenizer: t.json}
"""


def test_parts_options_and_names() -> None:
    recipe = parse(GOOD, "x/my.yaml")
    assert recipe.name == "my"
    read, judge = recipe.sources["docs"]
    assert read.components[0][1].paths == ("a.jsonl",)
    assert judge.components[0] == ("gopher_quality", GopherQuality(min_words=10))
    assert judge.name == "gopher_quality-gopher_repetition"
    assert judge.options.expect_kept == (0.1, 0.9)
    assert [stage.verb.name for stage in recipe.joined] == ["dedup", "tokenize"]


def test_resolved_states_every_default() -> None:
    resolved = parse(GOOD, "my.yaml").resolved()
    assert resolved["sources"]["docs"][1]["filter"]["gopher_quality"]["max_words"] == 100_000
    assert resolved["shards"] == {"group_mb": 16, "split_mb": 256}


def test_inputs_replace_paths() -> None:
    assert parse(GOOD, "m", ("b",)).sources["docs"][0].components[0][1].paths == ("b",)
    assert parse(GOOD, "m", ("docs=b", "c=d")).sources["docs"][0].components[0][1].paths == ("b", "c=d")
    assert parse(GOOD, "m", ("year=2024/b",)).sources["docs"][0].components[0][1].paths == ("year=2024/b",)


def test_inputs_must_say_which_of_several_sources() -> None:
    two = GOOD.replace("  docs:", "  code:\n    - read: {jsonl: {paths: [c]}}\n  docs:")
    with pytest.raises(UserError, match="several sources; say SOURCE=PATH with one of code, docs"):
        parse(two, "m", ("b",))
    dashed = two.replace("  code:", "  web-a:")
    assert parse(dashed, "m", ("web-a=x",)).sources["web-a"][0].components[0][1].paths == ("x",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version: 1", "version: 2", "m:2: version: this winnow reads recipes of `version: 1`, got 2"),
        pytest.param("version: 1", "vers: 1", "this winnow reads recipes of `version: 1`, got None", id="no version"),
        pytest.param("version: 1", "version: 1\nbuckets: 8", "buckets: `buckets` is gone", id="buckets"),
        pytest.param("version: 1", "version: 1\nname: ../../x", "'../../x' becomes part of a folder", id="name"),
        ("expect_kept", f"name: {'x' * 61}\n      expect_kept", "61 characters; at most 60"),
        pytest.param("joined:", "joint:", "m:8: joint: unknown option 'joint'; did you mean 'joined'?", id="top level"),
        ("gopher_repetition", "gopher_repitition", "m:6: sources.docs.1.filter.gopher_repitition: no filter named"),
        pytest.param("min_words", "max_errors", "max_errors is an option of the stage: write it beside", id="stage's"),
        pytest.param("min_words", "min_word", "unknown option 'min_word'; did you mean 'min_words'?", id="option"),
        pytest.param("filter:", "fliter:", "m:6: sources.docs.1: a stage has exactly one of the verbs", id="verb"),
        ("expect_kept", "expect_keep", "unknown option 'expect_keep'; did you mean 'expect_kept'?"),
        pytest.param("[0.1, 0.9]", "[0.9, 0.1]", "expect_kept must be [low, high]", id="bounds"),
        ("min_words: 10", "min_words: ten", "gopher_quality.min_words: expected a whole number, got 'ten'"),
        pytest.param("dedup: exact", "dedup: exakt", "no dedup named 'exakt'; did you mean 'exact'?", id="joined"),
        pytest.param("dedup: exact", "dedup: []", "expected `dedup: {key: {options}}`; keys: bloom,", id="no part"),
    ],
)
def test_mistakes(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(RecipeError) as caught:
        parse(GOOD.replace(old, new, 1), "m")
    assert message in str(caught.value)
