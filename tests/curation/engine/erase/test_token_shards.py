"""Token shards without some documents: padding where they stood, rows and other segments in their places."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.engine.erase import replacing
from curation.engine.erase.replacing import facts_of
from curation.engine.erase.token_shards import erasures, losses
from curation.tokens.pack import Pack, tokens_section
from curation.tokens.token_files import PADDING_BIT, Vocabulary, open_rows, open_segments

FACTS = Vocabulary(size=64, end_of_text=0, padding=1, tokenizer="00")
# Rows of 4 + 1 tokens. End to end: 2 3 0 | 4 5 6 7 0 | 8 0
DOCUMENTS = {"a": [2, 3, 0], "b": [4, 5, 6, 7, 0], "c": [8, 0]}
SIZES = {"a": 10, "b": 100, "c": 1000}


def write(folder: Path, method: Any = "concat") -> tuple[dict[str, Any], dict[str, Any]]:
    """The part of the training split, and the section."""
    packer = Pack(sequence_length=4, method=method)
    values = {
        "doc_id": list(DOCUMENTS),
        "url": [f"http://{one}/" for one in DOCUMENTS],
        "source": ["web"] * 3,
        "tokens": pa.array(DOCUMENTS.values(), pa.large_list(pa.uint16())),
        "split": ["train"] * 3,
        "utf8_bytes": list(SIZES.values()),
    }
    parts = packer.pack(0, [pa.RecordBatch.from_pydict(values)], str(folder), source="web", vocabulary=FACTS)
    section = tokens_section(parts, pack=packer, vocabulary=FACTS)
    return next(part for part in parts if part["split"] == "train"), section


def erase_tokens(folder: str, part: dict[str, Any], section: dict[str, Any], documents: pa.Array) -> dict[str, Any]:
    """The part's entry after its files were replaced."""
    target = Path(folder, "beside")
    for name, write in erasures(folder, part, section, documents).items():
        facts = write(str(target))
        target.rename(Path(folder, name))
        assert facts == facts_of(str(Path(folder, name)))
    return {**part, "files": {name: asdict(facts_of(str(Path(folder, name)))) for name in part["files"]}}


def tokens(folder: Path, part: dict[str, Any]) -> list[list[int]]:
    rows: list[list[int]] = open_rows(
        str(folder / f"{part['name']}.bin"), rows=part["rows"], row_tokens=5, dtype="<u2"
    ).tolist()
    return rows


def test_a_document_in_two_rows(tmp_path: Path) -> None:
    part, section = write(tmp_path)
    assert tokens(tmp_path, part) == [[2, 3, 0, 4, 5], [5, 6, 7, 0, 8], [8, 0, 1, 1, 1]]
    before = {name: facts["bytes"] for name, facts in part["files"].items()}
    assert losses(str(tmp_path), part, pa.array(["b"]), SIZES) == (
        {"documents": 1, "tokens": 5, "utf8_bytes": 100, "padding": -6, "cut": 1},
        2,
    )
    made = erase_tokens(str(tmp_path), part, section, pa.array(["b"]))
    assert tokens(tmp_path, part) == [[2, 3, 0, 1, 1], [1, 1, 1, 1, 8], [8, 0, 1, 1, 1]]
    index = open_segments(str(tmp_path / f"{part['name']}.idx"), rows=3, row_tokens=5, item_bytes=2)
    pad = PADDING_BIT
    assert index.lengths.tolist() == [3, 2 | pad, 4 | pad, 1, 2, 3 | pad]
    assert index.offsets.tolist() == [0, 2, 4, 6]
    lineage = pq.read_table(tmp_path / f"{part['name']}.parquet")
    assert lineage["doc_id"].to_pylist() == ["a", None, None, "c", "c", None]
    assert lineage["url"].to_pylist() == ["http://a/", None, None, "http://c/", "http://c/", None]
    assert lineage["padding"].to_pylist() == [False, True, True, False, False, True]
    assert lineage["doc_offset"].to_pylist() == [0, None, None, 0, 0, None]
    assert lineage["document"].to_pylist() == [0, None, None, 2, 2, None]
    assert lineage["row"].to_pylist() == [0, 0, 1, 1, 2, 2]
    for name, size in before.items():
        assert name.endswith(".parquet") or made["files"][name]["bytes"] == size
        assert made["files"][name]["blake2b"] != part["files"][name]["blake2b"]
    assert losses(str(tmp_path), part, pa.array(["b"]), SIZES)[1] == 0
    assert erase_tokens(str(tmp_path), part, section, pa.array(["b"])) == made


def test_the_token_that_two_rows_share_goes_with_its_document(tmp_path: Path) -> None:
    part, section = write(tmp_path)
    erase_tokens(str(tmp_path), part, section, pa.array(["c"]))
    assert tokens(tmp_path, part) == [[2, 3, 0, 4, 5], [5, 6, 7, 0, 1], [1, 1, 1, 1, 1]]


def test_pieces_of_a_file_are_changed_where_they_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "CHUNK", 8)  # four tokens
    part, section = write(tmp_path)
    erase_tokens(str(tmp_path), part, section, pa.array(["a", "b"]))
    assert tokens(tmp_path, part) == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 8], [8, 0, 1, 1, 1]]


def test_a_document_that_fits_its_row_was_not_cut(tmp_path: Path) -> None:
    part, _ = write(tmp_path, "best_fit")
    lost, rows = losses(str(tmp_path), part, pa.array(["a", "b"]), SIZES)
    assert (lost["cut"], lost["tokens"], lost["documents"], lost["utf8_bytes"], rows) == (0, 8, 2, 110, 2)


def test_a_part_of_format_1_has_no_padding_and_no_cut(tmp_path: Path) -> None:
    part, _ = write(tmp_path)
    old = {name: value for name, value in part.items() if name not in ("padding", "cut")}
    path = tmp_path / f"{part['name']}.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["document"]), path)
    assert losses(str(tmp_path), old, pa.array(["b"]), SIZES)[0] == {"documents": 1, "tokens": 5, "utf8_bytes": 100}


def test_nothing_asked_for_is_there(tmp_path: Path) -> None:
    part, section = write(tmp_path)
    made = erase_tokens(str(tmp_path), part, section, pa.array(["nobody"]))
    assert made == part
    assert losses(str(tmp_path), part, pa.array(["nobody"]), SIZES)[1] == 0
    assert np.array_equal(tokens(tmp_path, part)[0], [2, 3, 0, 4, 5])
