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
from curation.core.json_files import find_shape, find_whole, shaped
from curation.core.manifest import ANEW, MANIFEST, RESTORE, RUN
from curation.core.shapes import Within
from curation.core.token_shapes import MixIndex, Section, TokenPart
from curation.core.verbs import MIX
from curation.tokens.index_checks import check_index, check_parts
from curation.tokens.token_files import FORMAT_VERSION

INDEX = "index.json"
INDEX_FORMAT = "winnow-mix"
INDEX_VERSION = 3
ONLY_PHASE = "mix"  # name of the single phase of a mix without `phases`
# equal in an index and its packs
SAME = ("dtype", "vocabulary", "begin_of_text", "end_of_text", "padding", "row_tokens", "tokenizer")


class RunStage(TypedDict):
    """A stage as run.json names it."""

    verb: str
    folder: Within


class RunStages(TypedDict):
    """What a reader of tokens needs of run.json."""

    stages: list[RunStage]
    complete: NotRequired[bool]
    reads: NotRequired[list[str]]


class IndexFormat(TypedDict):
    """An index before its format is known."""

    format: str
    format_version: int


class MixManifest(TypedDict):
    """What a reader of a mix needs of its manifest."""

    mix: dict[str, Any]


class PackManifest(TypedDict):
    """What a reader of tokens needs of a pack's manifest."""

    tokens: NotRequired[Section | None]


def checksum(content: object) -> str:
    """BLAKE2b-256 in hex of anything with the buffer interface."""
    return hashlib.blake2b(content, digest_size=32).hexdigest()  # type: ignore[arg-type]


def mix_folder(path: str) -> str:
    """Absolute `path` if it is a mix folder, else the folder of the last mix of the run at `path`."""
    path = storage.absolute(path)
    if storage.exists(storage.join(path, INDEX)):
        return path
    run = find_shape(storage.join(path, RUN), RunStages, RESTORE)
    if run is None:
        raise InputError(f"{path} is neither a run (no {RUN}) nor a mix stage (no {INDEX}); give one of the two")
    mixes = [stage["folder"] for stage in run["stages"] if stage["verb"] == MIX.name]
    complete = run.get("complete", True)
    if not mixes and complete:
        raise InputError(f"the run at {path} has no mix stage; add `mix` to its recipe and run it again")
    if not mixes:
        raise InputError(f"the run at {path} is not finished; run its recipe to the end")
    return storage.join(path, mixes[-1])


def read_index(folder: str) -> MixIndex:
    """The index of a sealed mix, which the stage's manifest holds too."""
    uri = storage.join(folder, INDEX)
    index = find_whole(uri, IndexFormat, ANEW)
    manifest = find_whole(storage.join(folder, MANIFEST), MixManifest, ANEW)
    if index is None or manifest is None:
        raise InputError(f"the mix stage at {folder} is not finished; run the recipe again")
    if index["format"] != INDEX_FORMAT:
        raise InputError(f"{uri} is not a mix index; mix again")
    version = index["format_version"]
    if version != INDEX_VERSION:
        raise InputError(f"{uri} has format version {version}, this winnow reads {INDEX_VERSION}; mix again")
    if manifest["mix"] != index:
        raise InputError(f"{uri} is damaged: it is not the index that {MANIFEST} beside it holds; copy it again")
    found = shaped(index, MixIndex, uri, ANEW)
    check_index(uri, found)
    return found


def leaf_of(pack: str, source: str, runs: Mapping[str, Sequence[str]]) -> str:
    """The name that a mix gives the leaf `source` of one of its packs; `runs` as in the index."""
    for run, packs in runs.items():
        if pack in packs:
            return f"{run}/{source}"
    return source


def read_pack(folder: str, index: MixIndex) -> Section:
    """The section `tokens` of a sealed pack, checked against the index, its tokenizer and the sizes of its files."""
    uri = storage.join(folder, MANIFEST)
    manifest = find_whole(uri, PackManifest, ANEW)
    if manifest is None:
        raise InputError(f"no finished pack at {folder}, from which the mix was made; copy it there, or mix again")
    section = manifest.get("tokens")
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
    """Those of the document shards, ascending, that the part was made of. Raises InputError where it does not say."""
    if "shards" not in part:
        raise InputError(f"nothing says which documents the token shard {part['name']} was made of; pack again")
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
    check_parts(uri, section)
    tokenizer = storage.join(folder, section["tokenizer"]["file"])
    if storage.size(tokenizer) < 0 or checksum(storage.read_bytes(tokenizer)) != section["tokenizer"]["blake2b"]:
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
