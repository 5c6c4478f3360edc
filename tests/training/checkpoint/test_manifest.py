"""A manifest comes back as written; every flipped bit of it is noticed, and older formats are refused."""

import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from curation.core.errors import InputError
from tests.training.checkpoint.models import flip
from training.checkpoint.manifest import (
    MANIFEST,
    CheckpointManifest,
    DamagedError,
    TensorFile,
    TensorShape,
    read_manifest,
    read_sound_manifest,
    write_manifest,
)
from training.checkpoint.pieces import TensorPiece

FILES = {"rank-00000.safetensors": TensorFile(64, "ab", {"model.a": TensorPiece(8, (0, 0), (2, 3))})}
WRITTEN = CheckpointManifest(7, 1, "2.13.0", {"model.a": TensorShape("F32", (2, 3))}, FILES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_manifest(str(tmp_path), WRITTEN)
    return tmp_path


def test_round_trip(folder: Path) -> None:
    assert read_manifest(str(folder)) == WRITTEN
    assert [path.name for path in folder.iterdir()] == [MANIFEST]


def test_every_flipped_bit_is_damage(folder: Path) -> None:
    size = (folder / MANIFEST).stat().st_size
    for at in range(size):
        flip(folder / MANIFEST, at)
        with pytest.raises(DamagedError, match=MANIFEST):
            read_manifest(str(folder))
        flip(folder / MANIFEST, at)
    assert read_manifest(str(folder)) == WRITTEN


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff"])
def test_what_is_no_manifest_is_damage(folder: Path, content: bytes) -> None:
    (folder / MANIFEST).write_bytes(content)
    with pytest.raises(DamagedError):
        read_manifest(str(folder))


@pytest.mark.parametrize("put", [os.mkfifo, os.mkdir, partial(os.symlink, "/dev/zero")])
def test_what_is_no_file_is_damage(folder: Path, put: Callable[[Path], object]) -> None:
    """Reading a pipe would wait for its writer, and a device has no end."""
    (folder / MANIFEST).unlink()
    put(folder / MANIFEST)
    with pytest.raises(DamagedError, match="cannot be read"):
        read_manifest(str(folder))


def test_a_manifest_of_an_older_winnow_is_refused(folder: Path) -> None:
    (folder / MANIFEST).write_text(json.dumps({"step": 20, "world_size": 2, "torch": "2.13.0"}))
    with pytest.raises(InputError, match=r"has checkpoint format 1, this winnow reads 4; resume with the") as refused:
        read_manifest(str(folder))
    assert not isinstance(refused.value, DamagedError)


def test_a_file_outside_the_folder_is_not_read(folder: Path) -> None:
    """The checksum shows accidents; whoever writes the manifest can make one."""
    write_manifest(str(folder), CheckpointManifest(7, 1, "", {}, {"../../secret": TensorFile(1, "ab", {})}))
    with pytest.raises(DamagedError):
        read_manifest(str(folder))


def test_pieces_that_nobody_packs_are_damage(folder: Path) -> None:
    """With a checksum that is right, as somebody may write who means harm."""
    content = json.loads((folder / MANIFEST).read_text()) | {"pieces": "AAAA"}
    del content["blake2b"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    content["blake2b"] = hashlib.blake2b(text, digest_size=32).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(content))
    with pytest.raises(DamagedError, match=rf"^{MANIFEST} is damaged: its pieces cannot be read"):
        read_manifest(str(folder))


def test_a_checkpoint_that_a_user_named_is_named(folder: Path) -> None:
    (folder / MANIFEST).write_bytes(b"{}x")
    with pytest.raises(InputError, match=rf"^{folder} is damaged: {MANIFEST} cannot be read; give another checkpoint$"):
        read_sound_manifest(str(folder))
