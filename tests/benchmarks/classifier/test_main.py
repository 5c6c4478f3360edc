"""The benchmark of classifiers: its figures on a few texts, and what the issue asks of the separation."""

from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.classifier.__main__ import measure, show
from benchmarks.classifier.halves import halves
from benchmarks.classifier.separation import measure as separation
from tests.curation.models.classifier.examples import BAD, GOOD, texts
from tests.curation.models.classifier.test_model_file import model_file
from tests.support import needs_shared_data


@pytest.mark.parametrize("kind", ["fasttext", "logistic"])
def test_figures(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    array = pa.array([*texts(GOOD, 20), *texts(BAD, 20)], pa.large_string())
    path = model_file(tmp_path, kind, normalization="none" if kind == "fasttext" else "lowercase")
    figures = measure(path, array, 1)
    assert figures["documents"] == 40
    assert figures["documents_per_second"] > 0
    assert ("ratio" in figures) == (kind == "fasttext")
    assert figures.get("largest_difference", 0) < 1e-4
    show({kind: figures})
    assert kind in capsys.readouterr().out


@needs_shared_data
@pytest.mark.slow
def test_the_halves_share_no_text() -> None:
    first, second = halves("main")
    assert not set(first.texts.to_pylist()) & set(second.texts.to_pylist())
    assert all(800 < half.prose.sum() < len(half.prose) - 800 for half in (first, second))


@needs_shared_data
@pytest.mark.slow
def test_prose_is_told_from_raw_pages_on_the_other_half() -> None:
    figures = separation("visible")
    assert all(figures[model]["all"]["auc"] >= 0.95 for model in ("fasttext", "logistic", "perplexity"))
    assert figures["both"]["all"]["auc"] >= 0.97
