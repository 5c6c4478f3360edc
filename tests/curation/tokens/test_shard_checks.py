"""Rules of token rows: what `pack` writes keeps them, and a break of each is found with its row."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.errors import InputError, UserError
from curation.core.token_shapes import TokenPart
from curation.tokens.export.megatron import export_megatron
from curation.tokens.export.parquet import export_parquet
from curation.tokens.manifests import checksum
from curation.tokens.pack import Method, Pack, tokens_section
from curation.tokens.row_check_kernels import Rules
from curation.tokens.shard_checks import broken_batch, broken_document, broken_rows, rules
from curation.tokens.shards import TokenData
from curation.tokens.token_files import HEADER, Vocabulary
from tests.curation.tokens.support import PAD, token_batch, write_mix, write_pack

BEGIN, END, MASK = 2, 0, 9
RULES: Rules = rules(1000, BEGIN, END, PAD, [MASK])
VOCABULARY = Vocabulary(size=1000, begin_of_text=BEGIN, end_of_text=END, padding=PAD, tokenizer="")
# Rows of five slots: [2 10 11 0 2] [2 20 21 22 23] [23 24 25 0 1]
DOCUMENTS = {"a": [BEGIN, 10, 11, END], "b": [BEGIN, 20, 21, 22, 23, 24, 25, END]}


def packed(folder: Path, documents: dict[str, list[int]], method: Method, length: int = 4) -> tuple[TokenPart, Any]:
    packer = Pack(sequence_length=length, method=method)
    batch = token_batch(documents)
    train, _ = packer.pack(0, [batch], str(folder), source="web", vocabulary=VOCABULARY, special=[MASK])
    return train, tokens_section([train], pack=packer, vocabulary=VOCABULARY)


def broken(folder: Path, part: TokenPart, section: Any, *, lineage: bool = True) -> list[str]:
    return [str(one) for one in broken_rows(str(folder / part["name"]), part, section, RULES, lineage=lineage)]


@pytest.mark.parametrize("method", ["concat", "best_fit", "one_per_row"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_packed_keeps_every_rule(tmp_path: Path, method: Method, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 30, 50)
    documents = {f"d{i}": [BEGIN, *rng.integers(10, 1000, n).tolist(), END] for i, n in enumerate(lengths)}
    part, section = packed(tmp_path, documents, method, length=int(rng.integers(1, 12)))
    assert broken(tmp_path, part, section) == broken(tmp_path, part, section, lineage=False) == []
    tokens = np.fromfile(tmp_path / "tokens-00000.bin", "<u2").reshape(part["rows"], -1)
    assert tokens.shape == (part["rows"], section["row_tokens"])


def in_rows(row: int, slot: int, number: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "tokens-00000.bin"
        rows = np.fromfile(path, "<u2").reshape(-1, 5)
        rows[row, slot] = number
        rows.tofile(path)

    return change


def in_index(segment: int, length: int) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "tokens-00000.idx"
        content = bytearray(path.read_bytes())
        lengths = np.frombuffer(content, "<u4", offset=HEADER.size + 8 * 4)
        lengths[segment] = length
        path.write_bytes(content)

    return change


def in_lineage(column: str, segment: int, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "tokens-00000.parquet"
        table = pq.read_table(path)
        values = table[column].to_pylist()
        values[segment] = value
        at = table.schema.get_field_index(column)
        pq.write_table(table.set_column(at, table.schema[at], [pa.array(values, table.schema[at].type)]), path)

    return change


PLANTED = {
    "no begin": (
        in_rows(0, 0, 50),
        ["row 0: token 0 is id 50, where a document begins, which the tokenizer begins with id 2"],
    ),
    "no end": (
        in_rows(2, 3, 50),
        ["row 2: token 3 is id 50, where a document ends, which the tokenizer ends with id 0"],
    ),
    "an end in the text": (
        in_rows(1, 2, END),
        ["row 1: token 2 is id 0, a special token inside the text of a document"],
    ),
    "a begin in the text": (
        in_rows(1, 3, BEGIN),
        ["row 1: token 3 is id 2, a special token inside the text of a document"],
    ),
    "padding in the text": (
        in_rows(2, 1, PAD),
        ["row 2: token 1 is id 1, a special token inside the text of a document"],
    ),
    "another special id": (
        in_rows(1, 1, MASK),
        ["row 1: token 1 is id 9, a special token inside the text of a document"],
    ),
    "the first id beyond": (in_rows(1, 1, 1000), ["row 1: token 1 is id 1,000, but the vocabulary ends before 1,000"]),
    "text in padding": (in_rows(2, 4, 50), ["row 2: token 4 is id 50 in padding, whose id is 1"]),
    "another repeated token": (
        in_rows(2, 0, 50),
        ["row 2: a piece of a document does not continue where the piece before it ends"],
    ),
    "a segment that is too short": (
        in_index(0, 3),
        [
            "row 0: a segment is another in the index than in the lineage (and in 4 more places)",
            "row 0: its segments do not add up to the row",
            "row 0: token 2 is id 11, where a document ends, which the tokenizer ends with id 0",
        ],
    ),
    "padding that is text": (
        in_index(4, 1),
        [
            "row 2: a segment is another in the index than in the lineage",
            "row 2: token 4 is id 1, a special token inside the text of a document",
            "has 0 slots of padding, its manifest says 1",
        ],
    ),
    "a gap in a document": (
        in_lineage("doc_offset", 3, 5),
        ["row 2: a piece of a document does not continue where the piece before it ends"],
    ),
    "a document twice": (
        in_lineage("document", 0, 1),
        [
            "row 0: a piece of a document does not continue where the piece before it ends",
            "has 1 documents, its manifest says 2",
            "has 11 tokens, its manifest says 12",
        ],
    ),
}


@pytest.mark.parametrize(("plant", "told"), PLANTED.values(), ids=PLANTED)
def test_a_planted_break_is_found_with_its_row(tmp_path: Path, plant: Callable[[Path], None], told: list[str]) -> None:
    part, section = packed(tmp_path, DOCUMENTS, "concat")
    assert broken(tmp_path, part, section) == []
    plant(tmp_path)
    assert broken(tmp_path, part, section) == told


@pytest.mark.parametrize("name", ["documents", "tokens", "padding"])
def test_counts_that_differ_from_the_manifest(tmp_path: Path, name: str) -> None:
    part, section = packed(tmp_path, DOCUMENTS, "concat")
    part[name] += 1  # type: ignore[literal-required]
    (told,) = broken(tmp_path, part, section)
    assert f"its manifest says {part[name]}" in told  # type: ignore[literal-required]


def test_many_places_are_told_once(tmp_path: Path) -> None:
    part, section = packed(tmp_path, DOCUMENTS, "concat")
    for slot in (1, 2, 3):
        in_rows(1, slot, 1000 + slot)(tmp_path)
    assert broken(tmp_path, part, section) == [
        "row 1: token 1 is id 1,001, but the vocabulary ends before 1,000 (and in 2 more places)"
    ]


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        pytest.param([BEGIN, 5, END, BEGIN, END], None, id="whole"),
        pytest.param([BEGIN, 5, END, 6, END], (1, "token 0 is id 6, where a document begins"), id="begin"),
        pytest.param([BEGIN, 5, END, BEGIN, 7], (1, "token 1 is id 7, where a document ends"), id="end"),
        pytest.param([BEGIN, MASK, END, BEGIN, 7], (0, "token 1 is id 9, a special token"), id="the first of two"),
    ],
)
def test_documents_before_they_are_packed(tokens: list[int], told: tuple[int, str] | None) -> None:
    found = broken_document(np.array(tokens, np.uint16), np.array([0, 3, 5]), RULES)
    assert (found and (found[0], found[1][: len(told[1]) if told else None])) == told


def test_pack_refuses_a_document_without_its_end(tmp_path: Path) -> None:
    told = r"document b of source 'web', row 1 of those that token shard 0 is made of: token 2 is id 8, where"
    with pytest.raises(UserError, match=told):
        packed(tmp_path, {"a": DOCUMENTS["a"], "b": [BEGIN, 7, 8]}, "concat")


def test_a_batch_of_rows() -> None:
    tokens = np.array([[BEGIN, 5, END, BEGIN, 6], [7, END, BEGIN, 1000, END], [8, END, PAD, PAD, 3]], np.uint16)
    segments = np.array([[1, 1, 1, 2, 2], [1, 1, 2, 2, 2], [1, 1, 0, 0, 0]], np.int32)
    assert [str(one) for one in broken_batch(tokens, segments, RULES)] == [
        "row 1: token 3 is id 1,000, but the vocabulary ends before 1,000",
        "row 2: token 4 is id 3 in padding, whose id is 1",
    ]


def test_exports_refuse_a_broken_row(tmp_path: Path) -> None:
    """Whose checksum is as the manifest says."""
    run = tmp_path / "run"
    documents = {"a": [10, 11, END], "b": [20, 21, 22, 23, 24, 25, END]}
    section = write_pack(run / "pack", [("web", [token_batch(documents)])])
    path = run / "pack" / "tokens-00000.bin"
    rows = np.fromfile(path, "<u2").reshape(-1, 5)
    rows[1, 2] = END
    rows.tofile(path)
    section["parts"][0]["files"]["tokens-00000.bin"]["blake2b"] = checksum(path.read_bytes())
    manifest = run / "pack" / "_manifest.json"
    manifest.write_text(json.dumps({"tokens": section}))
    write_mix(run, {"pack": section})
    told = r"pack/tokens-00000.bin: row 1: token 2 is id 0, a special token inside the text"
    with pytest.raises(InputError, match=told):
        TokenData.open(str(run)).verify()
    for export in (export_megatron, export_parquet):
        with pytest.raises(InputError, match=told):
            export(str(run), str(tmp_path / export.__name__))
