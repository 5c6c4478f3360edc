"""What `datasets` loads of an export: the mix's rows in the mix's order."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import UserError
from curation.tokens.export import parquet as module
from curation.tokens.export.parquet import export_parquet
from curation.tokens.mix import Mix
from curation.tokens.shards import TokenData
from tests.curation.tokens.run_by_hand import ROWS, SEGMENT_IDS, write_run_by_hand
from tests.curation.tokens.support import two_source_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 rows of web, some twice, and 30 of code."""
    mix = Mix(weights={"web": 3, "code": 1}, tokens=400, max_epochs=2, seed=5)
    return two_source_run(tmp_path_factory.mktemp("tokens") / "run", mix)


def test_rows_by_hand(tmp_path: Path) -> None:
    run = write_run_by_hand(tmp_path / "run")
    done = export_parquet(str(run), str(tmp_path / "out"))
    assert done["files"] == [{"name": "train-00000-of-00001.parquet", "split": "train", "rows": 3}]
    table = pq.read_table(tmp_path / "out" / "train-00000-of-00001.parquet")
    assert table.schema.field("input_ids").type == pa.list_(pa.int32())
    order = [row for _, row in TokenData.open(str(run)).locate(0, batch_rows=3)]
    positions = [[0, 1, 2, 0, 0], [0, 1, 2, 3, 4], [0, 1, 2, 0, 1]]
    assert table["input_ids"].to_pylist() == [ROWS[row] for row in order]
    assert table["segment_ids"].to_pylist() == [SEGMENT_IDS[row] for row in order]
    assert table["position_ids"].to_pylist() == [positions[row] for row in order]
    assert table["source"].to_pylist() == ["web"] * 3


def load(folder: Path, cache: Path) -> Any:
    """Both splits as Hugging Face loads them."""
    datasets = pytest.importorskip("datasets", reason="pip install datasets")
    return datasets.load_dataset(str(folder), cache_dir=str(cache))


def test_datasets_loads_the_same_rows(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_TOKENS", 40 * 5)  # three files of 40 rows
    monkeypatch.setattr(module, "GROUP_TOKENS", 7 * 5)
    done = export_parquet(str(run), str(tmp_path / "out"))
    assert [(one["name"], one["rows"]) for one in done["files"]] == [
        ("train-00000-of-00003.parquet", 40),
        ("train-00001-of-00003.parquet", 40),
        ("train-00002-of-00003.parquet", 20),
        ("validation-00000-of-00001.parquet", 4),
    ]
    loaded = load(tmp_path / "out", tmp_path / "cache")
    data = TokenData.open(str(run))
    assert {split: len(rows) for split, rows in loaded.items()} == {"train": 100, "validation": 4}
    whole = {"train": data.read(0, 100), "validation": data.read_validation(0, 4)}
    for split, batch in whole.items():
        assert loaded[split]["input_ids"][:] == batch.tokens.tolist()
        assert loaded[split]["segment_ids"][:] == batch.segment_ids.tolist()
        assert loaded[split]["source"][:] == batch.sources


def test_only_the_first_rows(run: Path, tmp_path: Path) -> None:
    export_parquet(str(run), str(tmp_path / "out"), rows=3)
    table = pq.read_table(tmp_path / "out" / "train-00000-of-00001.parquet")
    assert table["input_ids"].to_pylist() == TokenData.open(str(run)).read(0, 3).tokens.tolist()
    assert export_parquet(str(run), str(tmp_path / "all"), rows=1000)["files"][0]["rows"] == 100


def test_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lies in the run"):
        export_parquet(str(run), str(run))
    with pytest.raises(UserError, match="rows is 0"):
        export_parquet(str(run), str(tmp_path / "out"), rows=0)
