"""Shapes of what `pack` and `mix` record: the sections `tokens` and `mix` of manifests, and the index of a mix."""

from typing import Any, NotRequired, TypedDict

from curation.core.shapes import Count, Within


class FileEntry(TypedDict):
    """Size and BLAKE2b-256 (hex) of a file."""

    bytes: Count
    blake2b: str


class TokenizerFile(TypedDict):
    """The copy of the tokenizer beside the tokens, and its BLAKE2b-256 (hex)."""

    file: Within
    blake2b: str


class RowShape(TypedDict):
    """The fields of SAME."""

    dtype: str
    vocabulary: Count
    begin_of_text: Count | None  # of each document; None: documents begin with their text
    end_of_text: Count
    padding: Count
    row_tokens: Count
    tokenizer: TokenizerFile


class TokenPart(TypedDict):
    """The files of one token shard, leaf and split; see `Pack.pack` for its counts."""

    name: Within  # of its files, without suffix
    source: str  # the leaf
    split: str
    rows: Count
    tokens: Count
    documents: Count
    utf8_bytes: Count
    padding: Count
    cut: Count
    files: dict[str, FileEntry]
    shards: NotRequired[
        tuple[Count, Count]
    ]  # those of documents: number of the first among all that pack read, and how many


class Section(RowShape):
    """The section `tokens` of a pack's manifest. `sources`: leaf -> split -> the sums of its parts' counts."""

    format_version: Count
    method: str
    split_by: dict[str, Any] | None
    sources: dict[str, dict[str, dict[str, Count]]]
    parts: list[TokenPart]


class Leaf(TypedDict):
    """A source or sub-source of a mix."""

    source: str
    available: Count  # rows


class IndexPhase(TypedDict):
    """A phase of a mix."""

    name: str
    rows: Count
    tokens: Count
    target_tokens: float
    short: bool  # its leaves ran out a row or more before its target


class Entry(TypedDict):
    """The stretch of a leaf's stream that a phase takes: rows first … first + rows - 1 (see `permutation`)."""

    source: str
    phase: Count  # its number
    first: Count
    rows: Count


class MixShare(TypedDict):
    """The share of a leaf in a phase, as asked for and as met."""

    phase: str
    source: str
    capped: bool
    weight: float
    rows: Count
    tokens: Count
    target_tokens: float
    available_rows: Count
    available_tokens: Count


class MixIndex(RowShape):
    """The index of a mix."""

    format: str
    format_version: Count
    seed: int
    packs: list[str]  # folders within the run; those of other runs by absolute path
    runs: dict[str, list[str]]  # name of another run -> its folders in `packs`; its leaves are called "<name>/<leaf>"
    leaves: list[Leaf]
    phases: list[IndexPhase]
    entries: list[Entry]  # phase by phase
    report: list[MixShare]
