"""Git repositories made for a test."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

MIT = """MIT License

Copyright (c) 2020 A. Person

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
DATE = "2020-03-04T05:06:07Z"


def git(folder: Path, *arguments: str) -> str:
    who = [f"GIT_{role}_{part}=a@b" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")]
    when = [f"GIT_{role}_DATE={DATE}" for role in ("AUTHOR", "COMMITTER")]
    clean = ["env", *who, *when, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"]
    return subprocess.run(
        [*clean, "git", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def committed(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """A checked out repository at `folder`, with one more commit that adds these files."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "files")
    return folder


def made(folder: Path, kind: str, content: bytes) -> str:
    """The hash of an object that is put into a repository unchecked."""
    command = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, input=content).stdout.decode().strip()


def tree(folder: Path, entries: Mapping[bytes, tuple[str, str]]) -> str:
    """The hash of a tree with these entries: a name, its mode and the hash of what it names."""
    parts = (mode.encode() + b" " + name + b"\0" + bytes.fromhex(it) for name, (mode, it) in entries.items())
    return made(folder, "tree", b"".join(parts))


def with_tree(folder: Path, name: str) -> Path:
    """The repository, in which the branch `main` is one commit of the tree with this hash."""
    who = b"a <a@b> 1583298367 +0000"
    commit = made(folder, "commit", b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (name.encode(), who, who))
    (folder / ".git" / "refs" / "heads" / "main").write_text(f"{commit}\n")
    return folder


def begun(folder: Path) -> Path:
    """A repository without a commit."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    return folder
