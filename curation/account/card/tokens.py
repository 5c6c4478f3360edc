"""What a run says of its tokens: tokenizers, and packed rows by source and split; `mixture` has what training sees."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from curation.account.run.stage import Stage
from curation.core import storage
from curation.tokens.manifests import checksum

KINDS = {"BPE": "BPE", "WordPiece": "WordPiece", "Unigram": "Unigram", "WordLevel": "words"}
CARRIED = "_tokenizer."  # how the tokenizer's file in a tokenize stage begins


@dataclass(frozen=True)
class TokenizerFacts:
    """A tokenizer by its file's SHA-256. `fitted` is what a fit stage of this run was asked, None where it was given;
    `documents` and `text_bytes` are what it learnt from, None where that was not noted. `file` is relative to the run,
    "" where the run holds no copy."""

    kind: str
    vocabulary: int | None
    sha256: str
    file: str
    fitted: dict[str, Any] | None
    documents: int | None = None
    text_bytes: int | None = None


@dataclass(frozen=True)
class PackedSplit:
    """Packed rows of one source or sub-source in one split; `padding` in tokens and `cut` in documents."""

    source: str
    split: str
    rows: int
    tokens: int
    documents: int
    utf8_bytes: int
    padding: int
    cut: int


@dataclass(frozen=True)
class Packing:
    """One pack stage. `digest` is the SHA-256 of one line "<BLAKE2b-256> <name>" per token file, in order of names."""

    stage: str
    folder: str
    method: str
    row_tokens: int
    dtype: str
    vocabulary: int
    split_by: Any
    splits: tuple[PackedSplit, ...]
    files: int
    file_bytes: int
    digest: str


def tokenizers(stages: Sequence[Stage]) -> tuple[TokenizerFacts, ...]:
    """Every tokenizer that a tokenize stage of the run used, each once."""
    facts: dict[str, TokenizerFacts] = {}
    for stage in stages:
        sha256 = stage.manifest.address_parts["assets"].get("encode.tokenizer") if stage.verb.encodes else None
        if sha256 is not None and sha256 not in facts:
            facts[sha256] = _tokenizer(stages, sha256, stage)
    return tuple(facts.values())


def _tokenizer(stages: Sequence[Stage], sha256: str, encode: Stage) -> TokenizerFacts:
    names = [name for name in storage.list_names(encode.folder) if name.startswith(CARRIED)]
    holder, fitted, learnt = encode, None, {}
    for stage in stages:
        asset = stage.manifest.asset
        if asset is not None and asset["sha256"] == sha256:
            holder, names = stage, [asset["file"]]
            ((_, fitted),) = stage.manifest.address_parts["config"].items()
            groups = asset.get("sample", {}).get("groups", ())
            sums = {"documents": "documents", "text_bytes": "sample_bytes"}
            learnt = {name: sum(group[key] for group in groups) for name, key in sums.items()} if groups else {}
    if not names:
        return TokenizerFacts("unknown", None, sha256, "", fitted, **learnt)
    content = storage.read_bytes(storage.join(holder.folder, names[0]))
    packed = [stage.manifest.tokens for stage in stages if stage.manifest.tokens is not None]
    sizes = [one["vocabulary"] for one in packed if one["tokenizer"]["blake2b"] == checksum(content)]
    return TokenizerFacts(
        _kind(content), sizes[0] if sizes else None, sha256, f"{holder.entry.folder}/{names[0]}", fitted, **learnt
    )


def _kind(content: bytes) -> str:
    """ "byte-level BPE", "Unigram" … of a tokenizer.json; all else that can be loaded is SentencePiece's."""
    try:
        read: dict[str, Any] = json.loads(content)
    except ValueError:
        return "SentencePiece"
    name = KINDS.get(read["model"]["type"], read["model"]["type"])
    return f"byte-level {name}" if '"ByteLevel"' in json.dumps(read.get("pre_tokenizer")) else name


def packings(stages: Sequence[Stage]) -> tuple[Packing, ...]:
    """One per pack stage, in order."""
    return tuple(_packing(stage) for stage in stages if stage.verb.packs)


def _packing(stage: Stage) -> Packing:
    section: dict[str, Any] = stage.manifest.tokens or {}
    sources = section["sources"].items()
    splits = tuple(PackedSplit(source, split, **counts) for source, own in sources for split, counts in own.items())
    files = {name: facts for part in section["parts"] for name, facts in part["files"].items()}
    return Packing(
        stage=stage.name,
        folder=stage.entry.folder,
        **{name: section[name] for name in ("method", "row_tokens", "dtype", "vocabulary")},
        split_by=section.get("split_by"),
        splits=splits,
        files=len(files),
        file_bytes=sum(facts["bytes"] for facts in files.values()),
        digest=digest((facts["blake2b"], name) for name, facts in files.items()),
    )


def digest(files: Iterable[tuple[str, str]]) -> str:
    """SHA-256 (hex) over "<hash> <name>" lines in order of names: one value that stands for many files."""
    lines = "".join(f"{checksum} {name}\n" for name, checksum in sorted((name, checksum) for checksum, name in files))
    return hashlib.sha256(lines.encode()).hexdigest()
