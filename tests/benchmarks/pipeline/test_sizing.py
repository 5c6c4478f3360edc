"""The check of sizes: a small run, what is predicted of a larger one, and that one, side by side."""

from pathlib import Path

import pytest

from benchmarks.pipeline import sizing
from curation.engine.executor.inline import Inline
from tests.crawl import make_archives


def test_copies_are_documents_of_their_own(tmp_path: Path) -> None:
    make_archives(tmp_path / "crawl", archives=1, pages=120)
    inputs = sizing.write_pages(str(tmp_path / "crawl/*.warc.gz"), tmp_path, 3)
    recipe = {
        "version": 1,
        "name": "pages",
        "shards": {"group_mb": 0},
        "sources": {
            "web": [{"read": {"warc": {"paths": []}}}, {"extract": {"resiliparse": {}}}, {"dedup": {"exact": {}}}]
        },
    }
    found = sizing.check(recipe, inputs, tmp_path, Inline(), 1)
    lines = {(line.stage, line.figure): line for line in found}
    assert {stage for stage, _ in lines} == {"extract", "dedup", "total"}
    assert lines["dedup", "file_bytes"].error == pytest.approx(0, abs=0.25)
    assert lines["total", "core_seconds"].predicted > 0


def test_texts_of_two_sizes(tmp_path: Path) -> None:
    small, large = sizing.write_texts(600, tmp_path, 2)
    assert (len(list(tmp_path.glob("sample/texts/*"))), len(list(tmp_path.glob("large/texts/*")))) == (2, 3)
    assert (small, large) == (f"{tmp_path}/sample/texts/*", f"{tmp_path}/large/texts/*")
