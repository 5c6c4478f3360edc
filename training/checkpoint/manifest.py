"""What a checkpoint holds: the manifest of `checkpoints/step_N`, the state after N updates.

It is written last, so a checkpoint without one is none. It names the files with their sizes and checksums, says where
in them each piece of each tensor lies (`training.checkpoint.pieces`), and holds a checksum of itself. It is JSON, and
the files hold plain numbers: reading a checkpoint can run nothing, whoever wrote it. There is no other state, because
the step number and the windows that were left out determine the data, the learning rate and every draw.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import file_bytes, parse_json
from curation.core.shape_error import ShapeError
from curation.core.shapes import Count, checked
from training.checkpoint.pieces import TensorPiece, pack, unpack

FORMAT = 4
MANIFEST = "_manifest.json"
CHECKPOINTS = "checkpoints"  # folder of all checkpoints of a run
_STEP = re.compile(r"step_(\d+)")
_FILE = re.compile(r"rank-\d{5,}\.safetensors")


class DamagedError(InputError):
    """A checkpoint that is not as it was written."""


@dataclass(frozen=True)
class TensorFile:
    """What one process wrote: size, BLAKE2b-256 in hex, and its pieces by the name of their tensor."""

    bytes: Count
    blake2b: str
    pieces: Mapping[str, TensorPiece]


@dataclass(frozen=True)
class TensorShape:
    """A whole tensor; `dtype` as safetensors names it."""

    dtype: str
    shape: tuple[Count, ...]

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True)
class CheckpointManifest:
    """Tensors by name, and the files that hold their pieces."""

    step: Count
    world_size: Count
    torch: str  # version
    tensors: dict[str, TensorShape]
    files: dict[str, TensorFile]
    skipped: list[list[Count]] = field(default_factory=list)  # windows (position, rows) of the mix that it left out


class StoredFile(NamedTuple):
    """A `TensorFile` in JSON, with the number of its pieces."""

    bytes: Count
    blake2b: str
    pieces: Count


def file_name(rank: int) -> str:
    return f"rank-{rank:05d}.safetensors"


def folder_of(output: str, step: int) -> str:
    return storage.join(output, CHECKPOINTS, f"step_{step}")


def folders(output: str) -> list[tuple[int, str]]:
    """Step and folder of every checkpoint, also of incomplete ones."""
    names = storage.list_names(storage.join(output, CHECKPOINTS))
    steps = [int(match[1]) for name in names if (match := _STEP.fullmatch(name))]
    return [(step, folder_of(output, step)) for step in steps]


def complete_steps(output: str) -> list[int]:
    """Steps of the complete checkpoints, ascending."""
    return sorted(step for step, path in folders(output) if storage.exists(storage.join(path, MANIFEST)))


def digest_of(folder: str) -> str:
    """BLAKE2b-256 of a checkpoint's manifest, in hex."""
    content = file_bytes(storage.join(folder, MANIFEST)) or b""
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def write_manifest(folder: str, manifest: CheckpointManifest) -> None:
    """Whole or not at all."""
    files = dict(sorted(manifest.files.items()))
    content = {
        "format": FORMAT,
        **asdict(replace(manifest, files={})),
        "files": {name: StoredFile(one.bytes, one.blake2b, len(one.pieces))._asdict() for name, one in files.items()},
        "pieces": pack([one.pieces for one in files.values()], _dimensions(manifest)),
    }
    storage.replace_bytes(storage.join(folder, MANIFEST), _bytes({**content, "blake2b": _digest(content)}))


@contextmanager
def sound(folder: str) -> Iterator[None]:
    """Around the reading of a checkpoint that a user named: the error says which one is damaged."""
    try:
        yield
    except DamagedError as error:
        raise InputError(f"{folder} is damaged: {error}; give another checkpoint") from error


def read_sound_manifest(folder: str) -> CheckpointManifest:
    """As `read_manifest`, of a checkpoint that a user named."""
    with sound(folder):
        return read_manifest(folder)


def read_manifest(folder: str) -> CheckpointManifest:
    """Raises DamagedError if it is not as it was written, InputError if another format of checkpoints was."""
    return parse_manifest(folder, manifest_bytes(folder))


def manifest_bytes(folder: str) -> bytes:
    """Content of the file, which one process reads for all; empty where there is none. Raises DamagedError."""
    try:
        return file_bytes(storage.join(folder, MANIFEST)) or b""
    except ValueError as error:
        raise DamagedError(f"{MANIFEST} cannot be read") from error


def parse_manifest(folder: str, written: bytes) -> CheckpointManifest:
    """As `read_manifest`, from the content of the folder's file."""
    try:
        content = parse_json(written)
        recorded = content.pop("blake2b", None)
        version = content.pop("format", None)
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedError(f"{MANIFEST} cannot be read") from error
    if recorded is None and version is None:
        raise _other_format(folder, 1)
    try:
        checked(content, dict[str, Any])  # of so few levels that it can be written again
        if recorded != _digest({"format": version, **content}):
            raise DamagedError(f"{MANIFEST} has another checksum than the one that it records")
        if version != FORMAT:
            raise _other_format(folder, version)
        stored = checked(content.pop("files", None), dict[str, StoredFile])
        packed = checked(content.pop("pieces", None), str)
        manifest = checked({**content, "files": {}}, CheckpointManifest)
    except ShapeError as error:
        raise DamagedError(f"{MANIFEST} is damaged: {error}") from error
    if not all(_FILE.fullmatch(name) for name in stored):
        raise DamagedError(f"{MANIFEST} names a file that no process writes")
    files = sorted(stored.items())
    try:
        pieces = unpack(packed, [one.pieces for _, one in files], _dimensions(manifest))
    except ValueError as error:
        raise DamagedError(f"{MANIFEST} is damaged: {error}") from error
    read = {name: TensorFile(one.bytes, one.blake2b, own) for (name, one), own in zip(files, pieces, strict=True)}
    return replace(manifest, files=read)


def _dimensions(manifest: CheckpointManifest) -> dict[str, int]:
    """Number of dimensions of each tensor, in the order in which packed pieces count them."""
    return {name: len(one.shape) for name, one in sorted(manifest.tensors.items())}


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.blake2b(_bytes(content), digest_size=32).hexdigest()


def _bytes(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _other_format(folder: str, found: object) -> InputError:
    return InputError(
        f"{folder} has checkpoint format {found}, this winnow reads {FORMAT}; resume with the winnow that wrote it, or "
        "give another output to begin again"
    )
