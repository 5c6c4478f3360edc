"""No two rows of a run have one doc_id, whatever its inputs repeat; the same inputs have the same ids elsewhere."""

import gzip
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests import takedowns as runs
from tests.curation.sources.sample_archives import http, warc

RECIPE = """
version: 1
name: repeated
shards: {group_mb: %(group_mb)s}
sources:
  web:
    - read: {warc: {paths: ["%(folder)s/web"]}}
    - extract: {resiliparse: {}}
  lines:
    - read: {jsonl: {paths: ["%(folder)s/lines"], id: id}}
  table:
    - read: {parquet: {paths: ["%(folder)s/table"], id: id}}
joined:
  - dedup: {exact: {}}
"""
STAGES = ("web-extract", "lines-read", "table-read", "dedup")
PAGE = b"<html><body><main><p>" + b"Some words that stand on a page. " * 20 + b"</p></main></body></html>"


def write_inputs(folder: Path) -> None:
    """Each source has one record twice in a file, and that file a second time under another name and in a folder."""
    for name in ("web", "lines", "table"):
        (folder / name / "copy").mkdir(parents=True)
    content = warc("a", http(PAGE)) * 2
    (folder / "web" / "x.warc").write_bytes(content)
    (folder / "web" / "x.warc.gz").write_bytes(gzip.compress(content, mtime=0))
    (folder / "lines" / "x.jsonl").write_text((json.dumps({"id": "7", "text": "Some text."}) + "\n") * 2)
    shutil.copy(folder / "lines" / "x.jsonl", folder / "lines" / "y.jsonl")
    pq.write_table(pa.table({"id": [7, 7], "text": ["Some text."] * 2}), folder / "table" / "x.parquet")
    shutil.copy(folder / "table" / "x.parquet", folder / "table" / "y.parquet")
    for name, file in (("web", "x.warc"), ("lines", "x.jsonl"), ("table", "x.parquet")):
        shutil.copy(folder / name / file, folder / name / "copy" / file)


def curated(folder: Path, *, group_mb: int = 0) -> dict[str, list[tuple[str, str]]]:
    """(doc_id, origin within the folder) of every row of each stage."""
    run = folder / f"run-{group_mb}"
    recipe = RECIPE % {"folder": folder / "in", "group_mb": group_mb}
    runner.curate(parse(recipe, "m.yaml"), str(run), Inline())
    return {
        name: [(row["doc_id"], row["origin"].removeprefix(str(folder))) for row in runs.rows(run, name)]
        for name in STAGES
    }


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repeated")
    write_inputs(folder / "in")
    return folder


def test_no_two_rows_have_one_id(repeated: Path) -> None:
    found = curated(repeated)
    ids = [doc_id for name in STAGES[:3] for doc_id, _ in found[name]]
    assert len(ids) == 18
    assert len(set(ids)) == 18
    dropped = {row["doc_id"] for row in runs.rows(repeated / "run-0", "dedup") if row["drop_reason"]}
    assert len(dropped) == 16
    for doc_id in ids:
        (story,) = Run.open(repeated / "run-0").why(doc_id=doc_id)
        assert (story.doc_id, story.reason is not None) == (doc_id, doc_id in dropped)


def test_the_same_inputs_have_the_same_ids_in_another_layout_and_in_another_folder(
    repeated: Path, tmp_path: Path
) -> None:
    found = curated(repeated)
    assert curated(repeated, group_mb=1) == found
    shutil.copytree(repeated / "in", tmp_path / "in")
    assert curated(tmp_path) == found
