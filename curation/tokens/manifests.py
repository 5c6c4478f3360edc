"""Reads the index of a mix and the manifests of its packs, and checks them against each other and against the files.

A mix folder holds INDEX (an `MixIndex`, written by `mix`) beside the stage's manifest; a pack folder's manifest has a
section `tokens` (a `Section`, written by `pack`). Whatever does not fit raises an InputError that names the file.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, RUN, as_written, read_json
from curation.core.verbs import MIX
from curation.tokens.token_files import FORMAT_VERSION

INDEX = "index.json"
INDEX_FORMAT = "winnow-mix"
INDEX_VERSION = 2
ONLY_PHASE = "mix"  # name of the single phase of a mix without `phases`
SAME = ("dtype", "vocabulary", "end_of_text", "padding", "row_tokens", "tokenizer")  # equal in an index and its packs


class FileEntry(TypedDict):
    """Size and BLAKE2b-256 (hex) of a file."""

    bytes: int
    blake2b: str


class TokenizerFile(TypedDict):
    """The copy of the tokenizer beside the tokens, and its BLAKE2b-256 (hex)."""

    file: str
    blake2b: str


class RowShape(TypedDict):
    """The fields of SAME."""

    dtype: str
    vocabulary: int
    end_of_text: int
    padding: int
    row_tokens: int
    tokenizer: TokenizerFile


class TokenPart(TypedDict):
    """The files of one token shard, leaf and split; see `Pack.pack` for its counts."""

    name: str  # of its files, without suffix
    source: str  # the leaf
    split: str
    rows: int
    tokens: int
    documents: int
    utf8_bytes: int
    padding: int
    cut: int
    files: dict[str, FileEntry]
    shards: NotRequired[list[int]]  # those of documents: number of the first among all that pack read, and how many


class Section(RowShape):
    """The section `tokens` of a pack's manifest. `sources`: leaf -> split -> the sums of its parts' counts."""

    format_version: int
    method: str
    split_by: dict[str, Any] | None
    sources: dict[str, dict[str, dict[str, int]]]
    parts: list[TokenPart]


class Leaf(TypedDict):
    """A source or sub-source of a mix."""

    source: str
    available: int  # rows


class IndexPhase(TypedDict):
    """A phase of a mix."""

    name: str
    rows: int
    tokens: int
    target_tokens: float
    short: bool  # its leaves ran out a row or more before its target


class Entry(TypedDict):
    """The stretch of a leaf's stream that a phase takes: rows first … first + rows - 1 (see `permutation`)."""

    source: str
    phase: int  # its number
    first: int
    rows: int


class MixIndex(RowShape):
    """The index of a mix."""

    format: str
    format_version: int
    seed: int
    packs: list[str]  # folders within the run; those of other runs by absolute path
    runs: dict[str, list[str]]  # name of another run -> its folders in `packs`; its leaves are called "<name>/<leaf>"
    leaves: list[Leaf]
    phases: list[IndexPhase]
    entries: list[Entry]  # phase by phase
    report: list[dict[str, Any]]  # shares asked for and met, by phase and leaf


def checksum(content: object) -> str:
    """BLAKE2b-256 in hex of anything with the buffer interface."""
    return hashlib.blake2b(content, digest_size=32).hexdigest()  # type: ignore[arg-type]


def mix_folder(path: str) -> str:
    """Absolute `path` if it is a mix folder, else the folder of the last mix of the run at `path`."""
    path = storage.absolute(path)
    if storage.exists(storage.join(path, INDEX)):
        return path
    run = read_json(storage.join(path, RUN))
    if run is None:
        raise InputError(f"{path} is neither a run (no {RUN}) nor a mix stage (no {INDEX}); give one of the two")
    with as_written(storage.join(path, RUN)):
        mixes = [stage["folder"] for stage in run["stages"] if stage["verb"] == MIX.name]
        complete = run.get("complete", True)
    if not mixes and complete:
        raise InputError(f"the run at {path} has no mix stage; add `mix` to its recipe and run it again")
    if not mixes:
        raise InputError(f"the run at {path} is not finished; run its recipe to the end")
    return storage.join(path, mixes[-1])


def read_index(folder: str) -> MixIndex:
    """The index of a sealed mix."""
    uri = storage.join(folder, INDEX)
    index: MixIndex | None = read_json(uri)
    if index is None or not storage.exists(storage.join(folder, MANIFEST)):
        raise InputError(f"the mix stage at {folder} is not finished; run the recipe again")
    if not isinstance(index, dict) or index.get("format") != INDEX_FORMAT:
        raise InputError(f"{uri} is not a mix index; mix again")
    version = index.get("format_version")
    if version != INDEX_VERSION:
        raise InputError(f"{uri} has format version {version}, this winnow reads {INDEX_VERSION}; mix again")
    return index


def leaf_of(pack: str, source: str, runs: Mapping[str, Sequence[str]]) -> str:
    """The name that a mix gives the leaf `source` of one of its packs; `runs` as in the index."""
    for run, packs in runs.items():
        if pack in packs:
            return f"{run}/{source}"
    return source


def read_pack(folder: str, index: MixIndex) -> Section:
    """The section `tokens` of a sealed pack, checked against the index, its tokenizer and the sizes of its files."""
    uri = storage.join(folder, MANIFEST)
    manifest = read_json(uri)
    if manifest is None:
        raise InputError(f"no finished pack at {folder}, from which the mix was made; copy it there, or mix again")
    with as_written(uri):
        section: Section | None = manifest.get("tokens")
        if section is None:
            raise InputError(f"{uri} describes no token files (no section `tokens`); mix again from pack stages")
        _check_agrees(folder, uri, section, index)
        return section


def parts_of(parts: Iterable[TokenPart], shards: Iterable[int]) -> list[TokenPart]:
    """Those of a pack's parts that were made of any of these document shards, by their numbers among all that the pack
    read."""
    wanted = sorted(shards)
    return [part for part in parts if shards_in(part, wanted)]


def shards_in(part: TokenPart, wanted: Sequence[int]) -> Sequence[int]:
    """Those of the document shards, ascending, that the part was made of."""
    first, count = part["shards"]
    return wanted[bisect_left(wanted, first) : bisect_left(wanted, first + count)]


def _check_agrees(folder: str, uri: str, section: Section, index: MixIndex) -> None:
    if (version := section["format_version"]) != FORMAT_VERSION:
        raise InputError(f"{uri} has token format {version}, this winnow reads {FORMAT_VERSION}; pack again")
    for key in SAME:
        own = section[key]  # type: ignore[literal-required]
        expected = index[key]  # type: ignore[literal-required]
        if own != expected:
            raise InputError(f"{uri} has {key} {own}, its mix was made from {key} {expected}; mix again")
    tokenizer = storage.join(folder, section["tokenizer"]["file"])
    if checksum(storage.read_bytes(tokenizer)) != section["tokenizer"]["blake2b"]:
        raise InputError(f"{tokenizer} is not the tokenizer that made the tokens beside it; copy it again")
    _check_sizes(folder, section)


def _check_sizes(folder: str, section: Section) -> None:
    sizes = storage.list_sizes(folder)
    for part in section["parts"]:
        for name, facts in part["files"].items():
            if name not in sizes and name.endswith(".parquet"):
                continue  # lineage: a machine that only trains does not need it
            if sizes.get(name) != facts["bytes"]:
                state = f"has {sizes[name]:,} bytes" if name in sizes else "is missing"
                raise InputError(
                    f"{storage.join(folder, name)} {state}, its manifest says {facts['bytes']:,} bytes; copy it again"
                )
