"""A run's tokenizers, and its packed rows by source and split."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from curation.account.sealed.sealed_stage import TOKENIZER_COPY, SealedStage
from curation.core import storage
from curation.core.json_files import parse_json
from curation.core.shapes import checked
from curation.tokens.around_documents import tokenizer_sha256
from curation.tokens.manifests import checksum

KINDS = {"BPE": "BPE", "WordPiece": "WordPiece", "Unigram": "Unigram", "WordLevel": "words"}


@dataclass(frozen=True)
class TokenizerFacts:
    """A tokenizer, identified by its file's SHA-256.

    `fitted` has the options of the run's fit stage, None if the tokenizer was given. `documents` and `text_bytes`
    measure its training text, None if unknown. `file` is relative to the run, "" if the run holds no copy.
    """

    kind: str
    vocabulary: int | None
    sha256: str
    file: str
    fitted: dict[str, Any] | None
    documents: int | None = None
    text_bytes: int | None = None


@dataclass(frozen=True)
class PackedSplit:
    """Packed rows of one source or sub-source in one split; `padding` counts tokens, `cut` documents."""

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
    """One pack stage. `digest` is the SHA-256 of lines "<BLAKE2b-256> <name>" for its token files, by name."""

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


class TokenizerModel(TypedDict):
    """Its kind."""

    type: str


class TokenizerHead(TypedDict):
    """The fields of a tokenizer.json that the card reads."""

    model: TokenizerModel
    pre_tokenizer: NotRequired[Any]


def tokenizers(stages: Sequence[SealedStage]) -> tuple[TokenizerFacts, ...]:
    """Every tokenizer that the run's tokenize stages use, once each."""
    facts: dict[str, TokenizerFacts] = {}
    for stage in stages:
        sha256 = (tokenizer_sha256(stage.manifest) or _copy_sha256(stage)) if stage.verb.encodes else ""
        if sha256 and sha256 not in facts:
            facts[sha256] = _tokenizer(stages, sha256, stage)
    return tuple(facts.values())


def _copy_sha256(stage: SealedStage) -> str:
    """SHA-256 of the tokenizer that the stage made of other files; empty if it made none."""
    names = [name for name in storage.list_names(stage.folder) if name.startswith(TOKENIZER_COPY)]
    return storage.sha256(storage.join(stage.folder, names[0])) if names else ""


def _tokenizer(stages: Sequence[SealedStage], sha256: str, encode: SealedStage) -> TokenizerFacts:
    names = [name for name in storage.list_names(encode.folder) if name.startswith(TOKENIZER_COPY)]
    holder = encode
    fitted = None
    learnt = {}
    for stage in stages:
        asset = stage.manifest.asset
        if asset is not None and asset["sha256"] == sha256:
            holder = stage
            names = [asset["file"]]
            fitted = stage.manifest.address_parts["config"][stage.manifest.order[0]]
            groups = asset.get("sample", {}).get("groups", ())
            sums = {"documents": "documents", "text_bytes": "sample_bytes"}
            learnt = {name: sum(group[key] for group in groups) for name, key in sums.items()} if groups else {}
    if not names:
        return TokenizerFacts("unknown", None, sha256, "", fitted, **learnt)
    content = storage.read_bytes(storage.join(holder.folder, names[0]))
    packed = [stage.manifest.tokens for stage in stages if stage.manifest.tokens is not None]
    sizes = [section["vocabulary"] for section in packed if section["tokenizer"]["blake2b"] == checksum(content)]
    return TokenizerFacts(
        _kind(content), sizes[0] if sizes else None, sha256, f"{holder.entry.folder}/{names[0]}", fitted, **learnt
    )


def _kind(content: bytes) -> str:
    """ "byte-level BPE", "Unigram" … for a tokenizer.json; every other loadable file is SentencePiece's."""
    try:
        read = checked(parse_json(content), TokenizerHead)
    except ValueError:
        return "SentencePiece"
    name = KINDS.get(read["model"]["type"], read["model"]["type"])
    return f"byte-level {name}" if '"ByteLevel"' in json.dumps(read.get("pre_tokenizer")) else name


def packings(stages: Sequence[SealedStage]) -> tuple[Packing, ...]:
    return tuple(_packing(stage) for stage in stages if stage.verb.packs)


def _packing(stage: SealedStage) -> Packing:
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
    """SHA-256 (hex) over "<hash> <name>" lines sorted by name: one value for many files."""
    lines = "".join(f"{checksum} {name}\n" for name, checksum in sorted((name, checksum) for checksum, name in files))
    return hashlib.sha256(lines.encode()).hexdigest()
