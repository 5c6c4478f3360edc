"""Limits that name a quantile: numbers once the fit is sealed, by language, never a second
measurement, and refused before any work where nothing tells them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.account.tune.limits import rule_sets
from curation.core.errors import RecipeError
from curation.engine.driver import runner
from curation.engine.driver.dry_run import dry_run
from curation.engine.executor.inline import Inline
from curation.engine.recipe.bounds import Bound, bounded
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.filters.gopher_quality import GopherQuality
from curation.models.quantiles import QuantileTable, SignalSpreads, Spread
from tests.curation.engine.inputs import write_sources

STAGES = """  - filter: {gopher_quality: {}}
    name: measured
  - fit: {quantiles: {signals: [gopher_quality.mean_word_length]}}
  - filter: {gopher_quality: {max_mean_word_length: "@quantiles p50"}}
    name: short
  - filter: {gopher_repetition: {}}
"""


def recipe_of(folder: Path, stages: str) -> str:
    recipe = write_sources(folder).replace("    - filter: {gopher_quality: {}}\n", "")
    return recipe.partition("  - fit:")[0] + stages


@pytest.mark.parametrize("text", ["@q 90", "@q p101", "@q p9.99", "@q p90 by", "@q p90 p80", "@q  p90", "@ p90"])
def test_what_names_none(text: str) -> None:
    with pytest.raises(RecipeError, match="names no quantile; write '@NAME p90'"):
        Bound.parse("a", "max_b", text)


@pytest.fixture
def fitted(tmp_path: Path) -> dict[str, str]:
    """Quantiles of words: 0.5, 1.5, … overall, ten times as much in German."""
    overall, german = (
        Spread(documents, tuple((np.arange(1001) * 1.0 + 0.5) * times)) for documents, times in ((900, 1), (100, 10))
    )
    few = replace(german, documents=99)
    signals = {"gopher_quality.words": SignalSpreads(overall, {"de": german, "fr": few})}
    path = tmp_path / "quantiles.json"
    path.write_bytes(QuantileTable("language.label", signals).to_bytes())
    return {"quantiles": str(path)}


def resolved(fitted: dict[str, str], rule_set: GopherQuality, **options: str) -> Any:
    bounds = [Bound.parse("gopher_quality", option, text) for option, text in options.items()]
    return bounded((("gopher_quality", rule_set),), bounds, fitted)[0][1]


def test_numbers_in_the_type_of_the_option_that_keep_the_same_documents(fitted: dict[str, str]) -> None:
    rule_set = resolved(fitted, GopherQuality(), min_words="@quantiles p10", max_words="@quantiles p90")
    assert (rule_set.min_words, rule_set.max_words) == (101, 900)
    assert rule_set.by_language == {}


def test_numbers_by_language_beside_those_that_the_recipe_states(fitted: dict[str, str]) -> None:
    rule_set = GopherQuality(by_language={"de": {"max_words": 7000}, "ja": {"min_words": 5}})
    rule_set = resolved(fitted, rule_set, min_words="@quantiles p10 by language.label", max_words="@quantiles p90")
    assert rule_set.by_language == {"de": {"min_words": 1005, "max_words": 7000}, "ja": {"min_words": 5}}
    assert "language" in rule_set.reads


def test_numbers_that_cannot_be(fitted: dict[str, str]) -> None:
    with pytest.raises(RecipeError, match=r"min_words '@quantiles p90' is 901, max_words .* is 100: 901 is"):
        resolved(fitted, GopherQuality(), min_words="@quantiles p90", max_words="@quantiles p10")


def test_a_run_with_such_a_limit(tmp_path: Path) -> None:
    recipe = parse(recipe_of(tmp_path, STAGES), "m")
    waiting = [one.status for one in dry_run(recipe, str(tmp_path / "run")) if one.node.name == "short"]
    assert waiting == ["waits for a fit"]
    runner.curate(recipe, str(tmp_path / "run"), Inline())
    run = Run.open(tmp_path / "run")
    measured, fit, short = (run.stage(name) for name in ("measured", "quantiles", "short"))
    spread = json.loads((Path(fit.folder) / "quantiles.json").read_text())["signals"][
        "gopher_quality.mean_word_length"
    ]["overall"]
    assert spread["documents"] == measured.manifest.total("kept") == 24
    middle = spread["quantiles"][500]
    assert [one["at_most"] for one in short.manifest.limits if one["rule"] == "gopher_quality.mean_word_length"] == [
        middle
    ]
    assert short.manifest.address_parts["config"]["gopher_quality"]["max_mean_word_length"] == middle
    assert short.manifest.merged("dropped") == {
        "gopher_quality.mean_word_length:high": 11
    }  # one document has the limit
    held = pq.read_schema(next(Path(short.folder).glob("part-*.parquet"))).names
    assert "gopher_quality" not in held  # it is where it was measured
    assert run.record.recipe["joined"][3]["filter"]["gopher_quality"]["max_mean_word_length"] == "@quantiles p50"
    assert rule_sets(run, short)["gopher_quality"].max_mean_word_length == middle
    before = {path: path.read_bytes() for path in Path(short.folder).rglob("*.parquet")}
    runner.curate(recipe, str(tmp_path / "run"), Inline())
    assert {path: path.read_bytes() for path in Path(short.folder).rglob("*.parquet")} == before


def test_by_language(tmp_path: Path) -> None:
    stages = STAGES.replace(
        "[gopher_quality.mean_word_length]", "[gopher_quality.mean_word_length], by: language.label"
    )
    stages = "  - filter: {language: {}}\n" + stages.replace("p50", "p50 by language.label")
    run = runner.curate(parse(recipe_of(tmp_path, stages), "m"), str(tmp_path / "run"), Inline())
    assert run.complete


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param("@quantiles p50", "@quantile p50", "no fit stage before named 'quantile'; did you mean", id="fit"),
        pytest.param("@quantiles p50", "@quantiles 50", "names no quantile; write '@NAME p90'", id="form"),
        ("[gopher_quality.mean_word_length]", "[gopher_quality.lines]", "has no field 'lines', which quantiles"),
        ("max_mean_word_length: ", "max_words: ", "has no quantiles of gopher_quality.words; add it"),
        ("max_mean_word_length: ", "max_wrds: ", "unknown option 'max_wrds'; did you mean 'max_words'"),
        pytest.param("p50", "p50 by source", "limits may differ by language.label only, not by source", id="by"),
        pytest.param("p50", "p50 by language.label", "has no quantiles by language.label; give it `by", id="no groups"),
        pytest.param("{max_mean", "{min_words: 3, max_mean", "already ran in this chain", id="measured otherwise"),
    ],
)
def test_the_plan_refuses(tmp_path: Path, old: str, new: str, message: str) -> None:
    recipe = recipe_of(tmp_path, STAGES.replace(old, new))
    with pytest.raises(RecipeError, match=rf"^m:\d+: .*{message}"):
        dry_run(parse(recipe, "m"), str(tmp_path / "run"))


def test_a_rule_set_that_cannot_tell_languages_apart(tmp_path: Path) -> None:
    stages = """  - filter: {language: {}}
  - fit: {quantiles: {signals: [language.score], by: language.label}}
  - filter: {language: {min_score: "@quantiles p50 by language.label"}}
"""
    with pytest.raises(RecipeError, match=r"m:\d+: .*min_score: language has no limits by language; leave out `by"):
        build_plan(parse(recipe_of(tmp_path, stages), "m"))


def test_a_column_whose_type_an_asset_decides_is_still_known(tmp_path: Path) -> None:
    stages = """  - fit: {unigrams: {}}
  - filter: {unigram_divergence: {reference: "@unigrams"}}
    name: first
  - filter: {unigram_divergence: {reference: "@unigrams", max_divergence: 3}}
"""
    with pytest.raises(RecipeError, match="already ran in this chain; its column exists"):
        build_plan(parse(recipe_of(tmp_path, stages), "m"))
