"""The benchmark of a whole run: a small recipe is run, and each stage's documents and rates come out."""

from pathlib import Path

from benchmarks.pipeline import __main__ as pipeline
from curation.engine.executor.inline import Inline
from tests.curation.engine.inputs import write_sources

RECIPE = """
version: 1
sources:
  notes:
    - read: {jsonl: {paths: []}}
    - filter: {gopher_quality: {}}
"""


def test_a_small_run(tmp_path: Path) -> None:
    write_sources(tmp_path)
    (tmp_path / "small.yaml").write_text(RECIPE)
    figures = pipeline.measure(str(tmp_path / "*.jsonl"), str(tmp_path / "small.yaml"), Inline(), cpus=1)
    read, gopher = figures["stages"]  # type: ignore[misc]
    assert (read["documents"], gopher["documents"]) == (29, 29)
    pipeline.show(figures)
