"""DSIR: limits, noise that samples by weight, whole runs that keep a share, and mixes by the weight."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import RecipeError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.plan import build_plan
from curation.engine.recipe.recipe import parse
from curation.filters.dsir import Dsir, gumbel
from curation.models.dsir.importance import NgramCounts
from curation.tokens.packing.split_by import SplitBy
from tests.curation.models.dsir.reference import bucket
from tests.support import documents, verdict

SEA_WORDS = "sea whale ship sail deep".split()
MARKET_WORDS = "market price buy sell shop".split()
SEA = bucket("sea", 50)
MARKET = bucket("market", 50)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of single words: "sea" is three times as common in the target, "market" three times as common in raw text."""
    target, raw = np.zeros((2, 50), np.uint64)
    target[[SEA, MARKET]] = (3, 1)
    raw[[SEA, MARKET]] = (1, 3)
    path = tmp_path_factory.mktemp("model") / "dsir.bin"
    path.write_bytes(NgramCounts(1, target, raw).to_bytes())
    return str(path)


def test_signals(model: str) -> None:
    measured = Dsir(model=model).measure(documents("sea Sea sea market", "market", "", None))
    three = math.log(3)
    assert measured["words"].to_pylist() == [4, 1, 0, 0]
    assert measured["log_weight"].to_pylist() == pytest.approx([2 * three, -three, None, None], abs=1e-6)
    assert measured["log_weight_per_word"].to_pylist() == pytest.approx([three / 2, -three, None, None], abs=1e-6)
    assert measured["noisy_log_weight"].null_count == 2


def test_each_limit(model: str) -> None:
    assert Dsir(model=model).rules()[0].at_least == 100
    assert verdict(Dsir(model=model), "sea " * 100) is None
    assert verdict(Dsir(model=model), "sea " * 99) == "words:low"
    assert Dsir(model=model, min_words=0).rules() == ()
    per_word = Dsir(model=model, min_words=0, min_log_weight_per_word=0.5)
    assert verdict(per_word, "sea sea sea market") is None
    assert verdict(per_word, "sea market") == "log_weight_per_word:low"
    assert verdict(Dsir(model=model, min_words=0, min_log_weight=1), "sea") is None
    assert verdict(Dsir(model=model, min_words=0, min_log_weight=1.1), "sea") == "log_weight:low"
    assert verdict(Dsir(model=model, min_words=0, min_noisy_log_weight=50), "sea") == "noisy_log_weight:low"
    assert verdict(Dsir(model=model, min_words=0, min_log_weight=-9), "") == "log_weight:unmeasured"


def test_noise_is_gumbel_and_a_function_of_id_and_seed() -> None:
    ids = pa.array([f"{number:032x}" for number in range(100_000)])
    noise = gumbel(ids, 0)
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    assert noise.var() == pytest.approx(math.pi**2 / 6, abs=0.05)
    assert np.array_equal(gumbel(ids.slice(7, 9), 0), noise[7:16])
    assert abs(np.corrcoef(gumbel(ids, 1), noise)[0, 1]) < 0.02


def test_the_largest_of_noisy_weights_is_drawn_in_proportion_to_the_weights() -> None:
    noise = gumbel(pa.array([f"{number:032x}" for number in range(120_000)]), 0).reshape(-1, 4)
    drawn = np.bincount((noise + np.log([1, 2, 3, 4])).argmax(axis=1)) / len(noise)
    assert drawn == pytest.approx([0.1, 0.2, 0.3, 0.4], abs=0.01)


def test_settings_that_cannot_be() -> None:
    with pytest.raises(RecipeError, match="model names no file: give a path"):
        Dsir(model="")
    with pytest.raises(RecipeError, match="seed is -1; give 0 or more"):
        Dsir(model="a", seed=-1)


RECIPE = """
version: 1
name: selected
shards: {group_mb: 0}
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web-*.jsonl"]}}
    - fit: {dsir: {target: %(folder)s/target.jsonl, buckets: 500}}
    - filter: {dsir: {model: "@dsir", min_words: 5}}
      name: weights
    - fit: {quantiles: {signals: [dsir.noisy_log_weight]}}
    - filter: {dsir: {model: "@dsir", min_words: 5, min_noisy_log_weight: "@quantiles p75"}}
      name: selected
"""


def write_inputs(folder: Path, files: int) -> str:
    """400 documents about the sea or the market in so many files, and a target about the sea; returns the recipe."""
    folder.mkdir()
    rng = random.Random(0)
    texts = [
        " ".join(rng.choices(SEA_WORDS + MARKET_WORDS, weights=[1 + 3 * (n % 2)] * 5 + [2] * 5, k=20))
        for n in range(400)
    ]
    lines = [json.dumps({"text": text, "id": f"d{n}"}) + "\n" for n, text in enumerate(texts)]
    for file in range(files):
        step = len(lines) // files
        (folder / f"web-{file}.jsonl").write_text("".join(lines[file * step : (file + 1) * step]))
    target = [
        json.dumps({"text": " ".join(rng.choices(SEA_WORDS + MARKET_WORDS, weights=[4] * 5 + [1] * 5, k=20))})
        for _ in lines
    ]
    (folder / "target.jsonl").write_text("\n".join(target))
    return RECIPE % {"folder": folder}


def test_a_run_keeps_the_share_that_the_quantile_names(tmp_path: Path) -> None:
    models = []
    for files in (1, 4):
        recipe = parse(write_inputs(tmp_path / f"in-{files}", files), "m")
        runner.curate(recipe, str(tmp_path / f"run-{files}"), Inline())
        (model,) = (tmp_path / f"run-{files}").glob("*-dsir-*/dsir.bin")
        models.append(model.read_bytes())
    assert models[0] == models[1]
    (last,) = (tmp_path / "run-4").glob("*-selected-*")
    rows = pa.concat_tables([pq.read_table(path) for path in sorted(last.glob("part-*.parquet"))]).to_pylist()
    kept = [row["text"] for row in rows if row["drop_reason"] is None]
    assert {row["drop_reason"] for row in rows} == {None, "dsir.noisy_log_weight:low"}
    assert (len(rows), len(kept)) == (400, 101)  # a quarter, and the document that has the quantile
    assert words_of_the_sea(kept) > 1.4 * words_of_the_sea([row["text"] for row in rows])


def words_of_the_sea(texts: list[str]) -> float:
    """The share of all words."""
    words = " ".join(texts).split()
    return sum(word in SEA_WORDS for word in words) / len(words)


def test_what_a_mix_splits_by(model: str) -> None:
    measured = Dsir(model=model).measure(documents("sea sea", "market", ""))
    column = pa.StructArray.from_arrays(list(measured.values()), names=list(measured))
    split_by = SplitBy(column="dsir.log_weight_per_word", edges=(0.0,))
    numbers, labels = split_by.split(split_by.of(pa.table({"dsir": column})).combine_chunks())
    assert [labels[number] for number in numbers] == ["from_0", "below_0", "none"]


def test_a_recipe_with_a_file_of_another_kind_is_refused_before_work(tmp_path: Path) -> None:
    recipe = write_inputs(tmp_path / "in", 1).partition("    - fit")[0]
    (tmp_path / "dsir.bin").write_text("{}")
    recipe += f"    - filter: {{dsir: {{model: {tmp_path / 'dsir.bin'}}}}}\n"
    with pytest.raises(RecipeError, match=r"m:8: sources.web.1.filter.dsir.model: .*dsir.bin holds no n-gram"):
        build_plan(parse(recipe, "m"))
