"""A small run with its token shards and its mix, byte by byte as the formats say."""

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from curation.tokens.manifests import checksum

# Documents a, b and c of 3, 1 and 7 tokens (0 ends each), in rows of 5 of which the next begins where one ended.
DOCUMENTS = [[10, 11, 0], [0], [20, 21, 22, 23, 24, 25, 0]]
ROWS = [[10, 11, 0, 0, 20], [20, 21, 22, 23, 24], [24, 25, 0, 1, 1]]
SEGMENT_IDS = [[1, 1, 1, 2, 3], [1] * 5, [1, 1, 1, 0, 0]]
_LINEAGE = [
    (0, 0, "a", 0, 3, False, 0),
    (0, 3, "b", 0, 1, False, 1),
    (0, 4, "c", 0, 1, False, 2),
    (1, 0, "c", 0, 5, False, 2),
    (2, 0, "c", 4, 3, False, 2),
    (2, 3, None, None, 2, True, None),
]
_COLUMNS = {
    "row": pa.int64(),
    "position": pa.int32(),
    "doc_id": pa.string(),
    "doc_offset": pa.int64(),
    "length": pa.int32(),
    "padding": pa.bool_(),
    "document": pa.int64(),
}
_TOKENIZER = b"stands for a tokenizer"
_SHAPE = {
    "row_tokens": 5,
    "dtype": "uint16",
    "vocabulary": 1000,
    "begin_of_text": None,
    "end_of_text": 0,
    "padding": 1,
    "tokenizer": {"file": "tokenizer.json", "blake2b": checksum(_TOKENIZER)},
}


def write_run_by_hand(run: Path) -> Path:
    """One pack of source "web" with three training rows, and a mix of them."""
    pack = run / "01-pack-00000000"
    mix = run / "02-mix-00000000"
    pack.mkdir(parents=True)
    mix.mkdir()
    (pack / "tokenizer.json").write_bytes(_TOKENIZER)
    names = {"train": ("tokens-00000", ROWS), "validation": ("validation-00000", [])}
    parts = [_part(pack, name, split, rows) for split, (name, rows) in names.items()]
    counts = ("rows", "tokens", "documents", "utf8_bytes", "padding", "cut")
    sources = {"web": {part["split"]: {kind: part[kind] for kind in counts} for part in parts}}
    section = {"format_version": 2, "method": "concat", "split_by": None, **_SHAPE, "sources": sources, "parts": parts}
    (pack / "_manifest.json").write_text(json.dumps({"tokens": section}))
    index = {
        "format": "winnow-mix",
        "format_version": 3,
        "seed": 0,
        **_SHAPE,
        "packs": [pack.name],
        "runs": {},
        "leaves": [{"source": "web", "available": 3}],
        "phases": [{"name": "mix", "rows": 3, "tokens": 10, "target_tokens": 10.0, "short": False}],
        "entries": [{"source": "web", "phase": 0, "first": 0, "rows": 3}],
        "report": [
            {"phase": "mix", "source": "web", "weight": 1.0, "target_tokens": 10.0, "tokens": 10, "rows": 3}
            | {"capped": False, "available_rows": 3, "available_tokens": 10}
        ],
    }
    (mix / "index.json").write_text(json.dumps(index))
    (mix / "_manifest.json").write_text(json.dumps({"mix": index}))
    stages = [{"verb": "pack", "folder": pack.name}, {"verb": "mix", "folder": mix.name}]
    (run / "run.json").write_text(json.dumps({"stages": stages}))
    return run


def _part(pack: Path, name: str, split: str, rows: list[list[int]]) -> dict[str, Any]:
    offsets, lengths = ([0, 3, 4, 6], [3, 1, 1, 5, 3, 0x80000002]) if rows else ([0], [])
    index = b"WNTOKENS" + struct.pack("<IIIIQQ", 2, 2, 5, 0, len(rows), len(lengths)) + bytes(24)
    index += struct.pack(f"<{len(offsets)}Q{len(lengths)}I", *offsets, *lengths)
    columns = {
        column: pa.array([line[at] for line in (_LINEAGE if rows else [])], kind)
        for at, (column, kind) in enumerate(_COLUMNS.items())
    }
    sources = pa.array(["web"] * len(columns["row"]), pa.string())
    pq.write_table(pa.table({**columns, "source": sources, "url": columns["doc_id"]}), pack / f"{name}.parquet")
    (pack / f"{name}.bin").write_bytes(b"".join(struct.pack("<5H", *row) for row in rows))
    (pack / f"{name}.idx").write_bytes(index)
    contents = {path.name: path.read_bytes() for path in sorted(pack.glob(f"{name}.*"))}
    files = {one: {"bytes": len(content), "blake2b": checksum(content)} for one, content in contents.items()}
    counts = (3, 11, 3, 30, 2, 1) if rows else (0,) * 6
    named = dict(zip(("rows", "tokens", "documents", "utf8_bytes", "padding", "cut"), counts, strict=True))
    return {"name": name, "source": "web", "split": split, **named, "files": files}
