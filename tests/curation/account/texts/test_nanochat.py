"""What nanochat's loader finds in an export, by a few lines that read files as it does."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from curation.account.run import Run
from curation.account.texts import nanochat as module
from curation.account.texts.nanochat import export_nanochat
from curation.core.errors import UserError
from tests.takedowns import sources as sources
from tests.takedowns import taken_run as taken_run


def row_groups(folder: Path, split: str, rank: int, ranks: int) -> Iterator[list[str]]:
    """The texts that a rank reads, as nanochat/dataset.py lists and reads them: the last file is for validation."""
    paths = sorted(path for path in folder.iterdir() if path.name.endswith(".parquet"))
    for path in paths[:-1] if split == "train" else paths[-1:]:
        file = pq.ParquetFile(path)
        for group in range(rank, file.num_row_groups, ranks):
            yield file.read_row_group(group).column("text").to_pylist()


def texts_of(run: Run, stage: str, split: str | None = None) -> dict[str, str]:
    """doc_id -> text of the kept documents."""
    columns = ["doc_id", "text", "drop_reason", *(["split"] if split else [])]
    rows = [row for batch in run.stage(stage).scan(columns) for row in batch.to_pylist() if row["drop_reason"] is None]
    return {row["doc_id"]: row["text"] for row in rows if split is None or row["split"] == split}


def read(folder: Path, split: str) -> list[str]:
    return [text for group in row_groups(folder, split, 0, 1) for text in group]


def test_both_splits_shuffled(taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_BYTES", 4000)
    run = Run.open(taken_run)
    done = export_nanochat(run, str(tmp_path / "out"))
    names = [file.name for file in done.files]
    assert names == [f"shard_{number:05d}.parquet" for number in range(len(names))]
    assert len(names) > 3
    for split in ("train", "validation"):
        texts = texts_of(run, "tokenize", split)
        assert read(tmp_path / "out", split) == [texts[doc_id] for doc_id in sorted(texts)]
    again = export_nanochat(run, str(tmp_path / "again"))
    assert again.files == done.files


def test_every_rank_finds_a_row_group(taken_run: Path, tmp_path: Path) -> None:
    export_nanochat(Run.open(taken_run), str(tmp_path / "out"))
    for split in ("train", "validation"):
        parts = [list(row_groups(tmp_path / "out", split, rank, 4)) for rank in range(4)]
        assert all(parts)
        assert sorted(text for part in parts for group in part for text in group) == sorted(
            read(tmp_path / "out", split)
        )


def test_large_files_have_groups_of_the_usual_size(
    taken_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "GROUP_ROWS", 4)
    monkeypatch.setattr(module, "GROUPS", 2)
    export_nanochat(Run.open(taken_run), str(tmp_path / "out"))
    sizes = [len(group) for group in row_groups(tmp_path / "out", "train", 0, 1)]
    assert set(sizes[:-1]) == {4}


def test_without_tokens_the_highest_ids_are_held_out(taken_run: Path, tmp_path: Path) -> None:
    run = Run.open(taken_run)
    export_nanochat(run, str(tmp_path / "out"), stage="near", validation=0.3)
    texts = texts_of(run, "near")
    held_out = [doc_id for doc_id in sorted(texts) if int(doc_id[:13], 16) >= 0.7 * 16**13]
    assert read(tmp_path / "out", "validation") == [texts[doc_id] for doc_id in held_out]
    assert read(tmp_path / "out", "train") == [texts[doc_id] for doc_id in sorted(texts) if doc_id not in held_out]


@pytest.mark.parametrize(("validation", "told"), [(0.0, "validation is 0.0"), (1e-9, "leave a split without any")])
def test_what_is_refused(taken_run: Path, tmp_path: Path, validation: float, told: str) -> None:
    with pytest.raises(UserError, match=told):
        export_nanochat(Run.open(taken_run), str(tmp_path / "out"), stage="near", validation=validation)
    assert not (tmp_path / "out").exists()
