"""What a checkpoint holds: the manifest of `checkpoints/step_N`, the state after N updates.

It is written last, so a checkpoint without one is none. It names the files with their sizes and checksums, says where
in them each piece of each tensor lies, and holds a checksum of itself. It is JSON, and the files hold plain numbers:
reading a checkpoint can run nothing, whoever wrote it. There is no other state, because the step number and the windows
that were left out determine the data, the learning rate and every draw.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import file_bytes, parse_json
from curation.core.shape_error import ShapeError
from curation.core.shapes import Count, checked

FORMAT = 3
MANIFEST = "_manifest.json"
CHECKPOINTS = "checkpoints"  # folder of all checkpoints of a run
_STEP = re.compile(r"step_(\d+)")
_FILE = re.compile(r"rank-\d{5,}\.safetensors")


class DamagedError(InputError):
    """A checkpoint that is not as it was written."""


@dataclass(frozen=True)
class TensorPiece:
    """A box of a tensor, its elements from `start` on along each dimension; in its file from byte `at` on."""

    at: Count
    start: tuple[Count, ...]
    shape: tuple[Count, ...]


@dataclass(frozen=True)
class TensorFile:
    """What one process wrote: size, BLAKE2b-256 in hex, and its pieces by the name of their tensor."""

    bytes: Count
    blake2b: str
    pieces: dict[str, TensorPiece]


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
    content = {"format": FORMAT, **asdict(manifest)}
    content = json.loads(json.dumps(content))  # as it will be read: lists for tuples
    storage.replace_bytes(storage.join(folder, MANIFEST), _bytes({**content, "blake2b": _digest(content)}))


def read_sound_manifest(folder: str) -> CheckpointManifest:
    """As `read_manifest`, of a checkpoint that a user named: the error says which one it is."""
    try:
        return read_manifest(folder)
    except DamagedError as error:
        raise InputError(f"{folder} is damaged: {error}; give another checkpoint") from error


def read_manifest(folder: str) -> CheckpointManifest:
    """Raises DamagedError if it is not as it was written, InputError if another format of checkpoints was."""
    uri = storage.join(folder, MANIFEST)
    try:
        content = parse_json(file_bytes(uri) or b"")
        recorded = content.pop("blake2b", None)
        written = content.pop("format", None)
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedError(f"{MANIFEST} cannot be read") from error
    if recorded is None and written is None:
        raise _other_format(folder, 1)
    try:
        checked(content, dict[str, Any])  # of so few levels that it can be written again
        if recorded != _digest({"format": written, **content}):
            raise DamagedError(f"{MANIFEST} has another checksum than the one that it records")
        if written != FORMAT:
            raise _other_format(folder, written)
        manifest = checked(content, CheckpointManifest)
    except ShapeError as error:
        raise DamagedError(f"{MANIFEST} is damaged: {error}") from error
    if not all(_FILE.fullmatch(name) for name in manifest.files):
        raise DamagedError(f"{MANIFEST} names a file that no process writes")
    return manifest


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.blake2b(_bytes(content), digest_size=32).hexdigest()


def _bytes(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _other_format(folder: str, found: object) -> InputError:
    return InputError(
        f"{folder} has checkpoint format {found}, this winnow reads {FORMAT}; resume with the winnow that wrote it, or "
        "give another output to begin again"
    )
