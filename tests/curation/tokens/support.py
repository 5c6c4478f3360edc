"""Small packs and mixes on disk for the tests of this room: made-up tokens, no tokenizer library."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from curation.core.token_shapes import FileEntry
from curation.tokens.manifests import INDEX, checksum
from curation.tokens.mix import Mix, index_bytes
from curation.tokens.pack import Pack, tokens_section
from curation.tokens.token_files import Segments, Vocabulary, index_header

END = 0
PAD = 1
TOKENIZER = b"stands for a tokenizer"
VOCABULARY = Vocabulary(size=1000, end_of_text=END, padding=PAD, tokenizer=checksum(TOKENIZER))


def token_batch(
    documents: dict[str, list[int]],
    *,
    source: str = "web",
    validation: tuple[str, ...] = (),
    kind: pa.DataType | None = None,
) -> pa.RecordBatch:
    """doc_id -> its tokens, end-of-text included; every document has ten bytes of text."""
    ids = list(documents)
    return pa.RecordBatch.from_pydict(
        {
            "doc_id": pa.array(ids, pa.string()),
            "url": pa.array([f"https://example.org/{one}" for one in ids], pa.string()),
            "source": pa.array([source] * len(ids), pa.string()),
            "tokens": pa.array(list(documents.values()), pa.large_list(kind or pa.uint16())),
            "split": pa.array(["validation" if one in validation else "train" for one in ids], pa.string()),
            "utf8_bytes": pa.array([10] * len(ids), pa.int64()),
        }
    )


class AsTheyAre(dict[str, FileEntry]):
    """The entries of the files below a folder as they are when they are asked for, so that no check fails."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __missing__(self, name: str) -> FileEntry:
        path = self.folder / name
        content = path.read_bytes() if path.exists() else b""
        return FileEntry(bytes=len(content), blake2b=checksum(content))


def numbered(first: int, tokens: int, source: str) -> dict[str, list[int]]:
    """One document of `tokens` tokens: first, first + 1, …, end-of-text."""
    return {f"{source}-{first}": [*range(first, first + tokens - 1), END]}


def write_pack(
    folder: Path,
    shards: list[tuple[str, list[pa.RecordBatch]]],
    *,
    sequence_length: int = 4,
    packer: Pack | None = None,
    vocabulary: Vocabulary = VOCABULARY,
) -> dict[str, Any]:
    """A sealed pack of (source, batches) shards; returns its section `tokens`."""
    folder.mkdir(parents=True)
    packer = packer or Pack(sequence_length=sequence_length)
    parts = [
        part
        for number, (source, batches) in enumerate(shards)
        for part in packer.pack(number, batches, str(folder), source=source, vocabulary=vocabulary)
    ]
    section = tokens_section(parts, pack=packer, vocabulary=vocabulary)
    (folder / "tokenizer.json").write_bytes(TOKENIZER)
    (folder / "_manifest.json").write_text(json.dumps({"tokens": section}, sort_keys=True))
    return section


def read_pack_section(folder: Path) -> dict[str, Any]:
    """The section `tokens` of a sealed pack."""
    section: dict[str, Any] = json.loads((folder / "_manifest.json").read_text())["tokens"]
    return section


def write_mix(
    run: Path,
    packs: dict[str, dict[str, Any]],
    mix: Mix | None = None,
    runs: dict[str, dict[str, dict[str, Any]]] | None = None,
) -> Path:
    """A sealed mix of the packs in `run` (and of other `runs`, by absolute path), named in `run.json`; returns the mix
    folder."""
    folder = run / "09-mix-0123abcd"
    folder.mkdir()
    others = {name: list(held.items()) for name, held in (runs or {}).items()}
    index = (mix or Mix()).build(list(packs.items()), folder=str(run), runs=others)
    (folder / INDEX).write_bytes(index_bytes(index))
    (folder / "_manifest.json").write_text(json.dumps({"mix": index}))
    stages = [{"name": name, "folder": name, "verb": "pack"} for name in packs]
    stages.append({"name": "mix", "folder": folder.name, "verb": "mix"})
    (run / "run.json").write_text(json.dumps({"stages": stages}))
    return folder


def two_source_run(run: Path, mix: Mix | None = None) -> Path:
    """web: 40 + 20 rows in two shards and 3 validation rows; code: 30 rows and 1 validation row; sequence_length 4."""
    web = write_pack(
        run / "05-web-pack",
        [
            ("web", [token_batch(numbered(100, 161, "web"))]),
            ("web", [token_batch({**numbered(300, 81, "web"), "held": [*range(2, 14), END]}, validation=("held",))]),
        ],
    )
    code = write_pack(
        run / "06-code-pack",
        [
            (
                "code",
                [token_batch({**numbered(500, 121, "code"), "kept": [7, 8, END]}, source="code", validation=("kept",))],
            )
        ],
    )
    write_mix(run, {"05-web-pack": web, "06-code-pack": code}, mix)
    return run


def row_index(segments: Segments, *, item_bytes: int, row_tokens: int) -> bytes:
    """The content of an `.idx` file."""
    rows = len(segments.offsets) - 1
    count = len(segments.lengths)
    header = index_header(rows, count, item_bytes=item_bytes, row_tokens=row_tokens)
    return header + segments.offsets.astype("<u8").tobytes() + segments.lengths.astype("<u4").tobytes()
