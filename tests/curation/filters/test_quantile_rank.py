"""Ranks among all and within a language, limits, bad input, and CCNet's three buckets in a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.account.run import Run
from curation.core.errors import InputError, RecipeError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from curation.filters.quantile_rank import QuantileRank
from curation.models.quantiles import QuantileTable, SignalSpreads, Spread
from tests.curation.engine.inputs import write_sources


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Quantiles of a.words: 0, 1, 2 … 1000 overall, ten times as much in German; French has too few documents."""
    overall, german = (tuple((np.arange(1001) * times).tolist()) for times in (1.0, 10.0))
    groups = {"de": Spread(100, german), "fr": Spread(99, german)}
    table = QuantileTable("language.label", {"a.words": SignalSpreads(Spread(900, overall), groups)})
    path = tmp_path / "quantiles.json"
    path.write_bytes(table.to_bytes())
    return str(path)


def ranks(file: str, words: list[Any], labels: list[str | None], **options: Any) -> list[float | None]:
    columns = {
        "a": pa.StructArray.from_arrays([pa.array(words, pa.float64())], names=["words"]),
        "language": pa.StructArray.from_arrays([pa.array(labels, pa.string())], names=["label"]),
    }
    rank = QuantileRank(quantiles=file, signal="a.words", **options)
    found: list[float | None] = rank.measure(pa.RecordBatch.from_pydict(columns))["percent"].to_pylist()
    return found


def test_ranks_among_all(file: str) -> None:
    words = [-1, 0, 1, 333, 333.5, 1000, 5000, None, float("nan")]
    assert ranks(file, words, ["de"] * 9) == [0, 0, 0.1, 33.3, 33.4, 100, 100, None, None]


def test_ranks_within_a_language(file: str) -> None:
    labels = ["de", "fr", "xx", None, "de"]
    assert ranks(file, [500] * 4 + [None], labels, by="language.label") == [5, 50, 50, 50, None]


def test_limits_and_none(file: str) -> None:
    rank = QuantileRank(quantiles=file, signal="a.words", by="language.label")
    assert rank.rules() == ()
    assert rank.reads == ("a", "language")
    (rule,) = QuantileRank(quantiles=file, signal="a.words", max_percent=90).rules()
    assert (rule.signal, rule.at_most) == ("percent", 90)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"signal": "words"}, "signal is 'words'; give COLUMN.SIGNAL"),
        ({"by": "language"}, "by is 'language'; give COLUMN.SIGNAL"),
        ({"quantiles": ""}, "quantiles names no file"),
    ],
)
def test_options_that_cannot_be(options: dict[str, str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        QuantileRank(**{"quantiles": "q", "signal": "a.words", **options})


def test_files_that_do_not_tell(file: str) -> None:
    with pytest.raises(InputError, match="no quantiles at nowhere"):
        QuantileRank(quantiles="nowhere", signal="a.words").assets()
    with pytest.raises(InputError, match=r"has no quantiles of a\.words by a\.b; fit them"):
        ranks(file, [1], ["de"], by="a.b")


def test_head_middle_and_tail(tmp_path: Path) -> None:
    stages = """  - filter: {gopher_quality: {}}
  - fit: {quantiles: {signals: [gopher_quality.mean_word_length]}}
  - filter: {quantile_rank: {quantiles: "@quantiles", signal: gopher_quality.mean_word_length}}
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0}
  - pack: {sequence_length: 32, split_by: {column: quantile_rank.percent, edges: [33.3, 66.6]}}
"""
    recipe = write_sources(tmp_path).replace("    - filter: {gopher_quality: {}}\n", "").partition("  - fit:")[0]
    runner.curate(parse(recipe + stages, "m"), str(tmp_path / "run"), Inline())
    tokens = Run.open(tmp_path / "run").stage("pack").manifest.tokens or {}
    labels = {"below_33.3": 0, "33.3_to_66.6": 0, "from_66.6": 0}
    for source, splits in tokens["sources"].items():
        labels[next(label for label in labels if source.endswith(label))] += splits["train"]["documents"]
    assert sum(labels.values()) == 24
    assert all(5 <= count <= 11 for count in labels.values()), labels
