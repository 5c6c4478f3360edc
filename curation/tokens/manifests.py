"""What a mix and its packs say of themselves, read and checked against each other and against the files that are there.

A mix folder holds INDEX (written by `mix`) beside the stage's manifest; a pack folder's manifest has a section `tokens`
(written by `pack`). Every refusal is one InputError that names the file. An index of version 2 has, beside SAME:

seed; packs: folders of packs in the run's folder, those of other runs by absolute path; runs: name -> its folders in
`packs`, whose sources are called "<name>/<source>" here; leaves [{source, available}]: what the mix takes rows of, and
how many each has; phases [{name, rows, …}] in order; entries [{source, phase, first, rows}], phase by phase: the
stretch `first` … `first + rows - 1` of the leaf's stream (see `order`); report: what `mix` says of the result.
"""

import hashlib
from typing import Any

import pyarrow.fs as pafs

from curation.core import storage
from curation.core.errors import InputError
from curation.core.manifest import MANIFEST, RUN, as_written, read_json
from curation.tokens.token_files import FORMAT_VERSION

INDEX = "index.json"
INDEX_FORMAT = "winnow-mix"
INDEX_VERSION = 2
ONLY_PHASE = "mix"  # name of the phase of a mix that was asked for none
SAME = ("dtype", "vocabulary", "end_of_text", "padding", "row_tokens", "tokenizer")  # in the index and all its packs


def checksum(content: object) -> str:
    """BLAKE2b-256 in hex of anything with the buffer interface."""
    return hashlib.blake2b(content, digest_size=32).hexdigest()  # type: ignore[arg-type]


def mix_folder(path: str) -> str:
    """Absolute `path` where it is a mix folder, else the folder of the last mix of the run at `path`."""
    path = (path if "://" in path else storage.resolve(path)[1]).rstrip("/")
    if storage.exists(storage.join(path, INDEX)):
        return path
    run = read_json(storage.join(path, RUN))
    if run is None:
        raise InputError(f"{path} is neither a run (no {RUN}) nor a mix stage (no {INDEX}); give one of the two")
    with as_written(storage.join(path, RUN)):
        mixes = [stage["folder"] for stage in run["stages"] if stage["verb"] == "mix"]
        complete = run.get("complete", True)
    if not mixes:
        cause = "has no mix stage; add `mix` to its recipe and run it again"
        if not complete:
            cause = "is not finished; run its recipe to the end"
        raise InputError(f"the run at {path} {cause}")
    return storage.join(path, mixes[-1])


def read_index(folder: str) -> dict[str, Any]:
    """The index of a sealed mix of a format that this program reads."""
    uri = storage.join(folder, INDEX)
    index: dict[str, Any] | None = read_json(uri)
    if index is None or not storage.exists(storage.join(folder, MANIFEST)):
        raise InputError(f"the mix stage at {folder} is not finished; run the recipe again")
    if not isinstance(index, dict) or index.get("format") != INDEX_FORMAT:
        raise InputError(f"{uri} is no mix index; mix again")
    version = index.get("format_version")
    if version != INDEX_VERSION:
        raise InputError(f"{uri} has format version {version}, this program reads {INDEX_VERSION}; mix again")
    return index


def leaf_of(pack: str, source: str, index: dict[str, Any]) -> str:
    """What the mix calls the source `source` of the pack that it calls `pack`."""
    for run, packs in index["runs"].items():
        if pack in packs:
            return f"{run}/{source}"
    return source


def read_pack(folder: str, index: dict[str, Any]) -> dict[str, Any]:
    """The `tokens` section of a sealed pack, which agrees with the index, its tokenizer and its files' sizes."""
    uri = storage.join(folder, MANIFEST)
    manifest = read_json(uri)
    if manifest is None:
        raise InputError(f"no finished pack at {folder}, which the mix was made of; put it there, or mix again")
    with as_written(uri):
        return _agreeing(folder, uri, manifest, index)


def _agreeing(folder: str, uri: str, manifest: dict[str, Any], index: dict[str, Any]) -> dict[str, Any]:
    section: dict[str, Any] | None = manifest.get("tokens")
    if section is None:
        raise InputError(f"{uri} describes no token files (no section `tokens`); mix again from packs")
    if (version := section["format_version"]) != FORMAT_VERSION:
        raise InputError(f"{uri} has token format {version}, this program reads {FORMAT_VERSION}; pack again")
    for key in SAME:
        if section[key] != index[key]:
            raise InputError(f"{uri} has {key} {section[key]}, its mix was made of {key} {index[key]}; mix again")
    tokenizer = storage.join(folder, section["tokenizer"]["file"])
    if checksum(storage.read_bytes(tokenizer)) != section["tokenizer"]["blake2b"]:
        raise InputError(f"{tokenizer} is not the tokenizer that the tokens beside it were made with; copy it again")
    _check_sizes(folder, section)
    return section


def _check_sizes(folder: str, section: dict[str, Any]) -> None:
    """Lineage may be missing: a machine that only trains does not need it."""
    sizes = _sizes(folder)
    for part in section["parts"]:
        for name, facts in part["files"].items():
            if name not in sizes and name.endswith(".parquet"):
                continue
            if sizes.get(name) != facts["bytes"]:
                found = f"has {sizes[name]:,} bytes" if name in sizes else "is missing"
                raise InputError(
                    f"{storage.join(folder, name)} {found}, its manifest says {facts['bytes']:,} bytes; copy it again"
                )


def _sizes(folder: str) -> dict[str, int]:
    filesystem, path = storage.resolve(folder)
    infos = filesystem.get_file_info(pafs.FileSelector(path))
    return {info.base_name: info.size for info in infos if info.type == pafs.FileType.File}
