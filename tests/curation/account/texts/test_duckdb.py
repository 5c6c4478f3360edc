"""The lines of README and docs/runs.md that read kept text with DuckDB alone give what winnow gives."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from curation.account.run import Run
from tests.pages import ROOT, blocks

PAGES = ("README.md", "docs/runs.md")


@pytest.mark.parametrize("page", PAGES)
def test_duckdb_reads_the_kept_text(
    finished_run: Path, tmp_path: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "demo").symlink_to(finished_run / "run")
    monkeypatch.chdir(tmp_path)
    (block,) = (
        one.content
        for one in blocks(ROOT / page)
        if one.language == "python" and one.content.startswith("import duckdb")
    )
    shown: list[Any] = []
    exec(block.replace(" limit 3", ""), {"print": shown.append})
    found = shown[0].fetchall()
    stage = Run.open(finished_run / "run").stage("tokenize")
    rows = [row for batch in stage.scan(["url", "text", "drop_reason"]) for row in batch.to_pylist()]
    assert sorted(found) == sorted((row["url"], row["text"]) for row in rows if row["drop_reason"] is None)
    assert len(found) == 90
    duckdb.sql("reset variable stage")
