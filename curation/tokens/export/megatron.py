"""Writes a mix's documents as Megatron-Core's indexed datasets: one `.bin` and `.idx` per leaf and split.

A sequence is a document as it was tokenized, with what begins and ends it and without padding, restored from the rows
it was packed into. All documents of a leaf are written, even those whose rows the mix does not use, because Megatron
shuffles and samples by itself, by the weights of its data path: the mix's shares of tokens. Memory: a file's lineage
and a few megabytes, however many documents there are.

An `.idx` holds "MMIDIDX", two zeros, version 1 as uint64, the code of the tokens' type as a byte, the number of
sequences N and of document ends N + 1 as uint64, then lengths int32[N], byte offsets int64[N], document ends
int64[N + 1]. All are little-endian.
"""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import UserError
from curation.core.new_folder import check_free
from curation.core.token_shapes import MixShare
from curation.tokens.manifests import mix_folder, read_index
from curation.tokens.packing.whole_documents import whole_documents
from curation.tokens.shards import TokenData
from curation.tokens.token_files import SPLITS

HEADER = struct.Struct("<9sQBQQ")
MAGIC = b"MMIDIDX\0\0"
TYPES: dict[str, tuple[int, np.dtype[Any]]] = {
    "uint16": (8, np.dtype("<u2")),
    "uint32": (4, np.dtype("<i4")),
}  # stored as: code, type; ids are below 2^31
DATA_PATH = "data-path.txt"
_CHUNK = 1 << 20  # documents whose index entries are written at a time


def export_megatron(path: str, output: str, *, leaves: Sequence[str] = ()) -> dict[str, Any]:
    """`path`: a run or mix folder; `leaves`: only these. Returns "files" [{prefix, source, split, documents, tokens}]
    and "data_path", Megatron's options by phase of the mix, which are also written to DATA_PATH.

    Raises UserError for an output folder that is not empty, or a leaf that the mix does not have.
    """
    data = TokenData.open(path)
    for leaf in leaves:
        if leaf not in data.sources:
            raise UserError(f"the mix has no source {leaf!r}{nearest(leaf, data.sources)}")
    folder = local_folder(output)
    chosen = [leaf for leaf in data.sources if leaf in leaves or not leaves]
    written = [entry for split in SPLITS for leaf in chosen if (entry := _write(data, folder, split, leaf))]
    blends = _blends(read_index(mix_folder(path))["report"], written)
    lines = "".join(f"# {phase}\n{line}\n" for phase, line in blends.items())
    (folder / DATA_PATH).write_text(lines)
    copy_tokenizer(data, folder)
    return {"format": "megatron", "output": str(folder), "files": written, "data_path": blends}


def local_folder(output: str) -> Path:
    """A new local folder. Raises UserError for one that is not empty."""
    if "://" in output:
        raise UserError(f"{output} is not a local folder; export to a local disk, then copy the result")
    folder = Path(output).absolute()
    check_free(folder.as_posix())
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def copy_tokenizer(data: TokenData, folder: Path) -> None:
    name = data.tokenizer_path.rpartition("/")[2]
    (folder / name).write_bytes(storage.read_bytes(data.tokenizer_path))


def _write(data: TokenData, folder: Path, split: str, leaf: str) -> dict[str, Any] | None:
    """Writes a leaf's split; None if it has no document."""
    files = [file for file in data.row_files(split) if file.source == leaf and file.rows]
    if not files:
        return None
    prefix = folder / split / leaf
    prefix.parent.mkdir(parents=True, exist_ok=True)
    code, dtype = TYPES[data.dtype.name]
    with Path(f"{prefix}.bin").open("wb") as tokens, Path(f"{prefix}.idx").open("w+b") as index:
        index.write(bytes(HEADER.size))  # filled in when the number of documents is known
        documents = 0
        for file in files:
            data.check(file.name)
            for ids, lengths in whole_documents(data.folder, file, row_tokens=data.row_tokens, dtype=data.dtype):
                tokens.write(ids.view(dtype).data.cast("B"))
                index.write(lengths.astype("<i4").tobytes())
                documents += len(lengths)
        count = tokens.tell() // dtype.itemsize
        _finish(index, documents, code, dtype.itemsize)
    return {"prefix": str(prefix), "source": leaf, "split": split, "documents": documents, "tokens": count}


def _finish(index: BinaryIO, documents: int, code: int, item_bytes: int) -> None:
    """Adds the offset of each sequence and that each is a document, then fills in the header."""
    offset = 0
    for first in range(0, documents, _CHUNK):
        index.seek(HEADER.size + 4 * first)
        lengths = np.frombuffer(index.read(4 * min(_CHUNK, documents - first)), "<i4").astype(np.int64)
        ends = offset + np.cumsum(lengths * item_bytes)
        index.seek(HEADER.size + 4 * documents + 8 * first)
        index.write((ends - lengths * item_bytes).astype("<i8").tobytes())
        offset = int(ends[-1])
    index.seek(HEADER.size + 12 * documents)
    for first in range(0, documents + 1, _CHUNK):
        index.write(np.arange(first, min(first + _CHUNK, documents + 1), dtype="<i8").tobytes())
    index.seek(0)
    index.write(HEADER.pack(MAGIC, 1, code, documents, documents + 1))


def _blends(report: Sequence[MixShare], written: Sequence[dict[str, Any]]) -> dict[str, str]:
    """By phase: Megatron's options for the training files, weighted by the phase's tokens, and for all validation."""
    held_out = [(file["tokens"], file["prefix"]) for file in written if file["split"] == "validation"]
    blends = {}
    for phase in dict.fromkeys(line["phase"] for line in report):
        tokens = {line["source"]: line["tokens"] for line in report if line["phase"] == phase}
        train = [(tokens[file["source"]], file["prefix"]) for file in written if file["split"] == "train"]
        options = {"--train-data-path": _blend(train), "--valid-data-path": _blend(held_out)}
        blends[phase] = " ".join(f"{option} {blend}" for option, blend in options.items() if blend)
    return blends


def _blend(weighted: Sequence[tuple[int, str]]) -> str:
    total = sum(weight for weight, _ in weighted)
    return " ".join(f"{weight / total:.6g} {prefix}" for weight, prefix in weighted if weight)
