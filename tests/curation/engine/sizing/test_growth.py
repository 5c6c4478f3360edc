"""How much more each stage reads: by bytes of input, then by the documents that every stage passes on."""

import json
import shutil
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.engine.sizing.growth import growths, sample_stages
from tests.curation.engine.driver.test_runner import curate
from tests.curation.engine.inputs import write_sources


def test_each_source_grows_by_its_own_input(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    for number in range(2):  # news: of two files four; books stay one
        shutil.copy(tmp_path / f"news-{number}.jsonl", tmp_path / f"news-{number + 2}.jsonl")
    recipe = parse(text, "m")
    plan = build_plan(recipe)
    grown = growths(recipe, plan, sample_stages(str(tmp_path / "run"), plan), 1.0)
    by_name = {node.name: growth for node, growth in zip(plan, grown, strict=True)}
    news, books, dedup = (by_name[name] for name in ("news-gopher_quality", "books-read", "dedup"))
    assert (news.documents, news.units, news.shards, news.unit) == (2.0, 4, 4, 1.0)
    assert (books.documents, books.units, books.largest) == (1.0, 1, 1.0)
    assert dedup.documents == pytest.approx((2 * 15 + 13) / 28)  # the filter drops one of 16 news
    assert (dedup.shards, by_name["mix"].shards) == (5, 5)
    (_, times, *_) = growths(recipe, plan, sample_stages(str(tmp_path / "run"), plan), 10.0)
    assert (times.documents, times.units, times.unit) == (20.0, 40, 1.0)


def test_a_sample_of_another_recipe_is_refused(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    other = build_plan(parse(text.replace("gopher_quality", "gopher_repetition"), "m"))
    with pytest.raises(InputError, match=r"has no finished stage news-gopher_repetition.*run the recipe on a sample"):
        sample_stages(str(tmp_path / "run"), other)
    other = build_plan(parse(text.replace("dedup: {exact: {}}", "dedup: {simhash: {}}"), "m"))
    with pytest.raises(InputError, match=r"dedup of .* has exact, the recipe has simhash"):
        sample_stages(str(tmp_path / "run"), other)


def test_a_stage_without_figures_of_its_steps_is_refused(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    (manifest,) = (tmp_path / "run").glob("*-dedup-*/_manifest.json")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"steps": []}))
    plan = build_plan(parse(text, "m"))
    with pytest.raises(InputError, match=r"dedup of .* says nothing of its steps: an older winnow sealed it"):
        sample_stages(str(tmp_path / "run"), plan)


def test_inputs_of_unknown_size_cannot_be_planned(tmp_path: Path) -> None:
    text = write_sources(tmp_path)
    curate(text, tmp_path / "run")
    for name in ("news-0", "news-1"):
        (tmp_path / f"{name}.jsonl").write_text("")
    recipe = parse(text, "m")
    plan = build_plan(recipe)
    with pytest.raises(InputError, match="news-read: the sizes of its inputs, or of the sample's, are unknown"):
        growths(recipe, plan, sample_stages(str(tmp_path / "run"), plan), 1.0)
