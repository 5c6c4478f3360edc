"""Contents of files by their hashes, where some cannot be read."""

import hashlib
import subprocess
import zlib
from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.sources.documents.repositories import git_contents, git_process
from curation.sources.documents.repositories.git_contents import GitContents, Unreadable
from curation.sources.documents.repositories.git_objects import checked_objects
from tests.curation.sources.documents.repositories.git_made import begun, made


def put(folder: Path, number: int, loose: bytes) -> str:
    """The hash under which these bytes stand as an object."""
    name = f"{number:040x}"
    path = folder / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(loose)
    return name


def read(folder: Path, hashes: list[str]) -> list[bytes | str]:
    with GitContents(checked_objects(folder / ".git"), sha256=False, longest=1 << 20) as contents:
        sizes = contents.sizes(hashes)
        known = [(name, size) for name, size in zip(hashes, sizes, strict=True) if size is not None]
        found = contents.read([name for name, _ in known], [size for _, size in known])
        return [content.error if isinstance(content, Unreadable) else content for content in found]


def git_index(folder: Path, pack: bytes) -> None:
    """Puts a pack into the repository, which may hold differences to objects outside of it."""
    command = ["git", "index-pack", "--stdin", "--fix-thin"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, input=pack)


@pytest.mark.parametrize(
    ("loose", "error"),
    [
        (zlib.compress(b"blob 1000000\0" + b"x" * 1000), "it has another size than it states"),
        (zlib.compress(b"blob 10\0" + b"x" * 1000), "it has another size than it states"),
        (zlib.compress(b"blob 1000000\0" + bytes(1_000_000))[:900], "fatal: unable to stream"),
    ],
    ids=["too short", "too long", "cut"],
)
def test_what_comes_after_a_damaged_object_is_read(tmp_path: Path, loose: bytes, error: str) -> None:
    folder = begun(tmp_path / "repo")
    first, last, cut = made(folder, "blob", b"first"), made(folder, "blob", b"last"), put(folder, 1, loose)
    for hashes in ([first, cut, cut, last], [first, last, cut]):
        for name, content in zip(hashes, read(folder, hashes), strict=True):
            assert content == {first: b"first", last: b"last"}.get(name) or str(content).startswith(error)


def test_objects_that_git_cannot_read_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begun(tmp_path / "repo")
    cut = put(folder, 1, zlib.compress(b"blob 1000000\0" + b"x" * 1000))
    monkeypatch.setattr(git_contents, "MAX_UNREADABLE", 2)
    assert len(read(folder, [cut, cut])) == 2
    with pytest.raises(InputError, match=r"git cannot read more than 2 objects of .*; run `git fsck`"):
        read(folder, [cut, cut, cut])


def test_only_files_have_sizes(tmp_path: Path) -> None:
    folder = begun(tmp_path / "repo")
    hashes = [made(folder, "blob", b"abc"), made(folder, "tree", b""), "a" * 40]
    hashes += [put(folder, 1, b"no zlib"), put(folder, 2, zlib.compress(b"blob %d\0" % 2**60))]
    with GitContents(checked_objects(folder / ".git"), sha256=False, longest=1 << 20) as contents:
        assert contents.sizes(hashes) == [3, None, None, None, 2**60]


def test_a_difference_to_a_giant_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = begun(tmp_path / "repo")
    giant, small, other = made(folder, "blob", b"x" * (16 << 20)), "0" * 40, made(folder, "blob", b"other")
    content = b"x" * 100
    small = made(folder, "blob", content)
    copied = bytes([0x80, 0x90, 100])  # the size before, after, and a copy of 100 bytes
    difference = b"\x80\x80\x80\x08" + b"\x64" + copied[1:]
    head = b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big")
    entry = bytes([0x70 | len(difference)]) + bytes.fromhex(giant) + zlib.compress(difference)
    pack = head + entry
    pack += hashlib.sha1(pack).digest()
    git_index(folder, pack)
    (folder / ".git" / "objects" / small[:2] / small[2:]).unlink()
    assert read(folder, [small, other]) == [content, b"other"]
    monkeypatch.setattr(git_process, "MEMORY", 4 << 20)
    assert read(folder, [small, other]) == ["it needs more than 8 MB of memory", b"other"]
