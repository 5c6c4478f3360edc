"""A fit that indexes files, in a run: what it reads, what its manifest says, and what is refused before any work."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.core.errors import RecipeError
from curation.core.manifest import Manifest, read_manifest
from curation.engine.driver import runner
from curation.engine.driver.dry_run import dry_run
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.models.evalsets import HENS, SHIPS, write_rows

CLEAN = "The people of the town have to read and be kind to each other on every day of the week. " * 12
RECIPE = """
version: 1
sources:
  web:
    - read: {{jsonl: {{paths: ['{folder}/texts.jsonl']}}}}
    - fit: {{evalsets: {{sets: {{own: {{files: '{folder}/items*.jsonl'}}}}, sizes: [13]}}}}
    - filter: {{contamination: {{evalsets: '@evalsets'}}}}
    - rewrite: {{cut_spans: {{of: [contamination]}}}}
    - filter: {{text_left: {{}}}}
"""


def curated(folder: Path) -> dict[str, tuple[Path, Manifest]]:
    """Folder and manifest of each stage of a run."""
    run = runner.curate(parse(RECIPE.format(folder=folder), "sets.yaml"), str(folder / "run"), Inline())
    stages = {}
    for entry in run.stages:
        manifest = read_manifest(str(folder / "run" / entry.folder))
        assert manifest is not None
        stages[entry.name] = (folder / "run" / entry.folder, manifest)
    return stages


def test_items_are_found_and_cut(tmp_path: Path) -> None:
    texts = [CLEAN, f"{CLEAN}\n{HENS.upper()}?\n{CLEAN}", SHIPS]
    write_rows(tmp_path / "texts.jsonl", [{"text": text} for text in texts])
    for number, question in enumerate((HENS, SHIPS)):
        write_rows(tmp_path / f"items{number}.jsonl", [{"question": question}])
    stages = curated(tmp_path)
    folder, manifest = stages["evalsets"]
    assert manifest.asset is not None
    assert manifest.asset["sample"] == {"files": {"own": 2}}
    assert manifest.asset["file"] == "evalsets.json"
    assert {"items.parquet", "hashes-13.npy"} < set(manifest.asset["files"])
    last, sealed = stages["text_left"]
    assert sealed.total("kept") == 2
    (file,) = last.glob("*.parquet")
    rows = pq.read_table(file).to_pylist()
    assert [row["contamination"]["item"] for row in rows] == [None, "own/0", "own/1"]
    assert [row["drop_reason"] for row in rows] == [None, None, "text_left.words:low"]
    assert rows[0]["text"] == CLEAN.strip() or rows[0]["text"] == CLEAN
    assert set(rows[1]["text"].split()) == set(CLEAN.split())
    write_rows(tmp_path / "items1.jsonl", [{"question": HENS + " more"}])
    assert curated(tmp_path)["evalsets"][0] != folder


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"prompt": "why?"}\n', r"own: cannot read .*items\.jsonl: it has no field 'question'"),
        pytest.param("", r"own: cannot read .*items\.jsonl: it is empty", id="empty"),
        pytest.param('{"question": "two and two"}\n', "own: no item has 13 tokens", id="too short"),
    ],
)
def test_plan_and_curate_refuse_a_set_that_could_not_be_found(tmp_path: Path, lines: str, message: str) -> None:
    write_rows(tmp_path / "texts.jsonl", [{"text": CLEAN}])
    (tmp_path / "items.jsonl").write_text(lines)
    with pytest.raises(RecipeError, match=f"evaluation set {message}"):
        dry_run(parse(RECIPE.format(folder=tmp_path), "sets.yaml"), str(tmp_path / "run"))
    with pytest.raises(RecipeError, match=f"evaluation set {message}"):
        curated(tmp_path)
    assert not list((tmp_path / "run").glob("0*"))
