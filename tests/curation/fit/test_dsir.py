"""Fitting DSIR: counts of two labels, whatever the cut, from files or from the chain; what it cannot learn from."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError, RecipeError
from curation.core.fits import Examples
from curation.fit.dsir import Dsir
from curation.models.dsir.importance import NgramCounts, parse
from tests.curation.models.dsir.reference import counts

FIT = Dsir(target="books/*.jsonl", buckets=100)
ROWS = [("target", "The sea, the whale"), ("raw", "Buy now! Buy"), ("raw", ""), ("target", "the")] * 20


def batch(rows: list[tuple[str, str]]) -> pa.RecordBatch:
    labels = [label for label, _ in rows]
    texts = [text for _, text in rows]
    return pa.record_batch({"label": pa.array(labels, pa.string()), "text": pa.array(texts, pa.large_string())})


def learned(*units: list[tuple[str, str]], fit: Dsir = FIT) -> bytes:
    """Each unit is counted in two halves, merged, and merged with the others."""
    counted = [fit.merge(pa.concat_tables([fit.count(iter([batch(unit)])), fit.count(iter(()))])) for unit in units]
    return fit.finish([fit.merge(pa.concat_tables(counted))])[fit.asset]


def test_examples_by_label() -> None:
    assert FIT.examples() == {"target": Examples(files=("books/*.jsonl",)), "raw": Examples()}
    both: dict[str, Any] = {"target": Examples(chain="books"), "raw": "raw.jsonl"}
    assert Dsir(**both).examples() == {"target": Examples(chain="books"), "raw": Examples(files=("raw.jsonl",))}


def test_counts_are_those_of_each_label() -> None:
    model = parse(learned(ROWS))
    sums = {
        label: sum((counts(text, order=2, buckets=100) for own, text in ROWS if own == label), np.zeros(100))
        for label in ("target", "raw")
    }
    assert model.order == 2
    assert np.array_equal(model.target, sums["target"])
    assert np.array_equal(model.raw, sums["raw"])


def test_the_bytes_do_not_depend_on_the_cut_or_the_order() -> None:
    whole = learned(ROWS)
    rows = ROWS.copy()
    random.Random(1).shuffle(rows)
    assert learned(rows[:7], [], rows[7:31], rows[31:]) == whole


@pytest.mark.parametrize(("label", "rows"), [("target", [("raw", "a b")]), ("raw", [("target", "a"), ("raw", " ")])])
def test_a_side_without_words_teaches_nothing(label: str, rows: list[tuple[str, str]]) -> None:
    with pytest.raises(InputError, match=f"the {label} text has no words to count"):
        learned(rows)


@pytest.mark.parametrize("options", [{"order": 0}, {"order": 9}, {"buckets": 0}, {"buckets": 1 << 25}])
def test_settings_that_cannot_be(options: dict[str, int]) -> None:
    with pytest.raises(RecipeError, match="give an order of 1 to 8 and 1 to 16,777,216 buckets"):
        Dsir(target="a", **options)  # type: ignore[arg-type]


def test_of_a_small_target_all_is_counted(tmp_path: Path) -> None:
    from curation.core.protocols import Piece
    from curation.engine.executor.inline import Inline
    from curation.engine.fit.example_files import ExampleFile
    from curation.engine.fit.fit_stage import learned
    from curation.engine.fit.portions import Portion
    from curation.engine.recipe.address import list_inputs

    files = {"target": [f"target {n}" for n in range(20)], "raw": [f"raw text {n}" for n in range(2000)]}
    for name, texts in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    fit = Dsir(target=str(tmp_path / "target.jsonl"), raw=str(tmp_path / "raw.jsonl"), sample_bytes=3000)
    portions = [
        Portion(label, file=ExampleFile(Piece.of(file), examples))
        for label, examples in fit.examples().items()
        for file in list_inputs(examples.files)
    ]
    model: NgramCounts = parse(learned(fit, portions, Inline())[0][fit.asset])
    assert model.target.sum() == 20 * 3
    assert 0.8 * 3000 / 12 * 5 < model.raw.sum() < 1.1 * 3000 / 12 * 5
