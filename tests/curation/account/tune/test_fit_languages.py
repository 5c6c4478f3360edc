"""Kits fitted to a run are read by a recipe, keep the share asked for, and say what they cannot know."""

from pathlib import Path

import pytest

from curation.account.run import Run
from curation.account.tune.fit_languages import STOP_WORDS
from curation.core.errors import UserError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.account.corpus import curate, rows

RECIPE = """
version: 1
sources:
  web:
    - read: {jsonl: {paths: []}}
    - filter: {language: {languages: [de, en]}}
    - filter: {gopher_quality: {by_language: %s}}
"""


def test_a_folder_of_kits_is_written_and_read(corpus: Path, tmp_path: Path) -> None:
    run = curate(corpus)
    fitted = run.fit_languages(str(tmp_path / "kits"), "gopher", quantile=0.9)
    assert {kit.language for kit in fitted.kits} == {"de", "en"}
    german = next(kit for kit in fitted.kits if kit.language == "de")
    assert Path(german.file).read_text().startswith(f"# Fitted to {german.documents} documents of ")
    options = german.options["gopher_quality"]
    assert len(options["stop_words"]) == STOP_WORDS
    assert {"der", "den", "und", "die", "nicht"} <= set(options["stop_words"])
    assert "min_stop_words" not in options, "the run counted English stop words"
    (_, _, stage) = parse(RECIPE % (tmp_path / "kits"), "m.yaml").sources["web"]
    rule_set = dict(stage.components)["gopher_quality"]
    assert rule_set.by_language["de"]["stop_words"] == tuple(options["stop_words"])
    assert rule_set.by_language["de"]["min_words"] == options["min_words"]
    assert rule_set.by_language["fr"]["stop_words"], "other languages have the shipped kits"


def test_each_limit_keeps_the_share(corpus: Path, tmp_path: Path) -> None:
    run = curate(corpus)
    fitted = run.fit_languages(str(tmp_path / "kits"), "gopher", quantile=0.9)
    table = rows(run, "gopher").to_pylist()
    for kit in fitted.kits:
        words = [row["gopher_quality"]["words"] for row in table if row["language"]["label"] == kit.language]
        least, most = (kit.options["gopher_quality"][name] for name in ("min_words", "max_words"))
        assert kit.documents == len(words)
        assert sum(value >= least for value in words) >= 0.9 * len(words)
        assert sum(value <= most for value in words) >= 0.9 * len(words)


def test_refused(corpus: Path, tmp_path: Path) -> None:
    run = curate(corpus)
    (tmp_path / "de.yaml").write_text("languages: [de]\n")
    with pytest.raises(UserError, match="has kits already; name another folder"):
        run.fit_languages(str(tmp_path), "gopher")


def test_a_run_with_kits_is_tuned_like_any_other(corpus: Path, tmp_path: Path) -> None:
    """Languages that the language stage drops may have kits; the fit of a run that had stop words keeps those."""
    curate(corpus).fit_languages(str(tmp_path / "kits"), "gopher", quantile=0.9)
    folder = tmp_path / "kits"
    recipe = RECIPE.replace("paths: []", f"paths: ['{corpus}/web-*.jsonl']") % folder
    runner.curate(parse(recipe, "m.yaml"), str(tmp_path / "run"), Inline(), lambda _: None)
    run = Run.open(str(tmp_path / "run"))
    manifest = run.stage("gopher_quality").manifest
    assert manifest.total("kept")
    assert not [name for name in manifest.merged("counts") if name.startswith("no_kit.")]
    (tuned,) = run.tune(changes={"gopher_quality": {"by_language.de.min_words": 3}})
    assert tuned.kept_after >= tuned.kept_before == manifest.total("kept")
    with pytest.raises(UserError, match="stop_words limits no signal that this run measured"):
        run.tune(changes={"gopher_quality": {"by_language.de.stop_words": ["der"]}})
    fitted = run.fit_languages(str(tmp_path / "again"), quantile=0.9)
    options = fitted.kits[0].options["gopher_quality"]
    assert "min_stop_words" in options
    assert "stop_words" not in options
