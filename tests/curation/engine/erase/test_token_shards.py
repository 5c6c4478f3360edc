"""Token shards without some documents: padding where they stood, rows and other segments in their places."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.new_file import FileFacts, checksum_of
from curation.engine.erase import token_shards
from curation.engine.erase.replacing import Replacement
from curation.engine.erase.token_shards import losses, write_erased
from curation.tokens.lineage import segments_of
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


def segments(folder: Path, part: dict[str, Any], *documents: str) -> pa.Table:
    return segments_of(str(folder / f"{part['name']}.parquet"), pa.array(documents))


def erase_tokens(folder: Path, part: dict[str, Any], section: dict[str, Any], *documents: str) -> dict[str, Any]:
    """What the part's new files are, which have replaced the old ones."""
    replacement = Replacement(str(folder), "_new")
    facts = write_erased(replacement, part, section, segments(folder, part, *documents), pa.array(documents))
    replacement.finish()
    assert facts == {
        name: FileFacts(path.stat().st_size, checksum_of(str(path))) for name in facts for path in [folder / name]
    }
    return {name: asdict(one) for name, one in facts.items()}


def tokens(folder: Path, part: dict[str, Any]) -> list[list[int]]:
    rows: list[list[int]] = open_rows(
        str(folder / f"{part['name']}.bin"), rows=part["rows"], row_tokens=5, dtype="<u2"
    ).tolist()
    return rows


def test_a_document_in_two_rows(tmp_path: Path) -> None:
    part, section = write(tmp_path)
    assert tokens(tmp_path, part) == [[2, 3, 0, 4, 5], [5, 6, 7, 0, 8], [8, 0, 1, 1, 1]]
    before = {name: facts["bytes"] for name, facts in part["files"].items()}
    lost = losses(segments(tmp_path, part, "b"), SIZES)
    assert lost == {"documents": 1, "tokens": 5, "utf8_bytes": 100, "padding": -6, "cut": 1}
    made = erase_tokens(tmp_path, part, section, "b")
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
        assert name.endswith(".parquet") or made[name]["bytes"] == size
        assert made[name]["blake2b"] != part["files"][name]["blake2b"]
    assert segments(tmp_path, part, "b").num_rows == segments(tmp_path, part, "nobody").num_rows == 0


def test_the_token_that_two_rows_share_goes_with_its_document(tmp_path: Path) -> None:
    part, section = write(tmp_path)
    erase_tokens(tmp_path, part, section, "c")
    assert tokens(tmp_path, part) == [[2, 3, 0, 4, 5], [5, 6, 7, 0, 1], [1, 1, 1, 1, 1]]


def test_pieces_of_a_file_are_changed_where_they_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_shards, "CHUNK", 8)  # four tokens
    part, section = write(tmp_path)
    erase_tokens(tmp_path, part, section, "a", "b")
    assert tokens(tmp_path, part) == [[1, 1, 1, 1, 1], [1, 1, 1, 1, 8], [8, 0, 1, 1, 1]]


def test_a_document_that_fits_its_row_was_not_cut(tmp_path: Path) -> None:
    part, _ = write(tmp_path, "best_fit")
    lost = losses(segments(tmp_path, part, "a", "b"), SIZES)
    assert (lost["cut"], lost["tokens"], lost["documents"], lost["utf8_bytes"]) == (0, 8, 2, 110)
