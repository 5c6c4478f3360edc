"""What a checkpoint holds: the manifest of `checkpoints/step_N`, the state after N updates.

It is written last, so a checkpoint without one is none. It names the files with their sizes and checksums, says where
in them each piece of each tensor lies (`training.checkpoint.pieces`), and holds a checksum of itself. It is JSON, and
the files hold plain numbers: reading a checkpoint can run nothing, whoever wrote it. There is no other state, because
the step number and the windows that were left out determine the data, the learning rate and every draw.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch

from curation.core import storage
from curation.core.errors import InputError
from curation.core.json_files import file_bytes, parse_json
from curation.core.shape_error import ShapeError
from curation.core.shapes import Count, checked
from curation.core.tensor_header import BITS
from training.checkpoint.pieces import Pieces, misplaced, pack, unpack

FORMAT = 4
MANIFEST = "_manifest.json"
CHECKPOINTS = "checkpoints"  # folder of all checkpoints of a run
_STEP = re.compile(r"step_(\d+)")
_FILE = re.compile(r"rank-\d{5,}\.safetensors")


class DamagedError(InputError):
    """A checkpoint that is not as it was written."""


@dataclass(frozen=True)
class TensorFile:
    """A file of one process: its size, and its BLAKE2b-256 in hex."""

    bytes: Count
    blake2b: str


@dataclass(frozen=True)
class WrittenFile(TensorFile):
    """What one process wrote: the names of its tensors, and `boxes`, the columns of `pieces` behind the first two."""

    names: list[str]
    boxes: Pieces


@dataclass(frozen=True)
class TensorShape:
    """A whole tensor; `dtype` as safetensors names it."""

    dtype: str
    shape: tuple[Count, ...]

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


@dataclass(frozen=True)
class CheckpointManifest:
    """Tensors by name, the files that hold their pieces, and these as `pack` gives them; their columns count tensors
    and files in the order of their names."""

    step: Count
    world_size: Count
    torch: str  # version
    tensors: dict[str, TensorShape]
    files: dict[str, TensorFile]
    pieces: str
    skipped: list[list[Count]] = field(default_factory=list)  # windows (position, rows) of the mix that it left out

    @classmethod
    def of(
        cls,
        step: int,
        tensors: Mapping[str, TensorShape],
        written: Mapping[str, WrittenFile],
        skipped: Sequence[list[int]] = (),
    ) -> "CheckpointManifest":
        """Of whole tensors, and the files of all processes."""
        number = {name: place for place, name in enumerate(sorted(tensors))}
        files = dict(sorted(written.items()))
        owners = np.repeat(np.arange(len(files)), [len(one.names) for one in files.values()])
        own = np.fromiter((number[name] for one in files.values() for name in one.names), np.int64)
        pieces = np.vstack([owners, own, np.hstack([one.boxes for one in files.values()])])
        stated = {name: TensorFile(one.bytes, one.blake2b) for name, one in files.items()}
        return cls(step, len(files), str(torch.__version__), {**tensors}, stated, pack(pieces), [*skipped])

    @cached_property
    def columns(self) -> Pieces:
        """Raises DamagedError for pieces that are not within their tensors and files."""
        files, tensors = sorted(self.files.items()), sorted(self.tensors.items())
        shapes = [one.shape for _, one in tensors]
        items = [BITS.get(one.dtype, 0) // 8 for _, one in tensors]
        try:
            columns = unpack(self.pieces)
            wrong = misplaced(columns, [one.bytes for _, one in files], shapes, items)
        except ValueError as error:
            raise DamagedError(f"{MANIFEST} is damaged: {error}") from error
        if wrong is not None:
            raise DamagedError(f"{MANIFEST} is damaged: piece {wrong:,} does not fit into its file and its tensor")
        return columns


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
    storage.replace_bytes(storage.join(folder, MANIFEST), _bytes({**content, "blake2b": _digest(content)}))


@contextmanager
def sound(folder: str) -> Iterator[None]:
    """Around the reading of a checkpoint that a user named: the error says which one is damaged."""
    try:
        yield
    except DamagedError as error:
        raise InputError(f"{folder} is damaged: {error}; give another checkpoint") from error


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
