"""Takes listed files from clones, and tells which are not to be had."""

import hashlib
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.real import take
from tests.real.real_files import RealFile, folder_hash

PARTS = [("b/c.txt", b"c\n"), ("a.txt", b"a\n")]


@pytest.fixture
def commit(tmp_path: Path) -> str:
    """A clone of owner/name, with a folder `f`; its commit."""
    clone = tmp_path / "clones" / "owner+name"
    for name, content in PARTS:
        place = clone / "f" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def test_files_and_folders(tmp_path: Path, commit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(path: str, sha256: str, repository: str = "owner/name") -> RealFile:
        return RealFile(kind="irc", repository=repository, commit=commit, path=path, sha256=sha256, documents=1)

    one = listed("f/a.txt", hashlib.sha256(b"a\n").hexdigest())
    folder = listed("f/", folder_hash(PARTS))
    others = [listed("f/b/c.txt", one.sha256), listed("f/none", ""), listed("x", "", "owner/none")]
    monkeypatch.setattr(take, "real_files", lambda: [one, folder, *others])
    changed, missing, elsewhere = take.taken(tmp_path / "clones", tmp_path / "files")
    assert f"its SHA-256 is {hashlib.sha256(b'c' + bytes([10])).hexdigest()}, not {one.sha256}" in changed
    assert missing.startswith("irc: owner/name f/none: ")
    assert elsewhere == f"irc: owner/none x: no clone in {tmp_path / 'clones'}"
    assert one.within(tmp_path / "files").read_bytes() == b"a\n"
    with tarfile.open(folder.within(tmp_path / "files")) as packed:
        assert [(member.name, member.mtime) for member in packed] == [("a.txt", 0), ("b/c.txt", 0)]
