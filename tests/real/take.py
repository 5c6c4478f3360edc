"""Takes the listed files from clones of the public repositories that have them.

    python -m tests.real.take CLONES FILES
    WINNOW_REAL_FILES=FILES pytest tests/real

CLONES has a folder for each repository, bare or not: OWNER/NAME, OWNER+NAME or NAME. A file whose content is not the
listed one is not taken, and what is missing is told. Needs git.
"""

import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.real.real_files import RealFile, folder_hash, real_files


def taken(clones: Path, into: Path) -> list[str]:
    """Writes the files that are to be had; says what is wrong with each of the others."""
    wrong = []
    for file in real_files():
        try:
            content = _content(file, _git_folder(clones, file.repository))
        except (LookupError, subprocess.CalledProcessError) as error:
            wrong.append(f"{file.kind}: {file.repository} {file.path}: {_reason(error)}")
            continue
        place = file.within(into)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return wrong


def _reason(error: Exception) -> str:
    said = error.stderr.decode() if isinstance(error, subprocess.CalledProcessError) else str(error.args[0])
    return str(said).strip()


def _git_folder(clones: Path, repository: str) -> Path:
    name = repository.partition("/")[2]
    for place in (repository, repository.replace("/", "+"), name):
        for folder in (clones / place / ".git", clones / place / "repo/.git", clones / place / "repo", clones / place):
            if (folder / "objects").is_dir():
                return folder
    raise LookupError(f"no clone in {clones}")


def _content(file: RealFile, git: Path) -> bytes:
    if not file.is_folder:
        content = _git(git, "cat-file", "blob", f"{file.commit}:{file.path}")
        _check(file, hashlib.sha256(content).hexdigest())
        return content
    files = list(_folder(git, file.commit, file.path))
    _check(file, folder_hash(files))
    return _archive(files)


def _check(file: RealFile, found: str) -> None:
    if found != file.sha256:
        raise LookupError(f"its SHA-256 is {found}, not {file.sha256}")


def _folder(git: Path, commit: str, path: str) -> Iterator[tuple[str, bytes]]:
    listed = _git(git, "ls-tree", "-r", "-z", "--full-tree", commit, *([path] if path else []))
    for entry in filter(None, listed.decode().split("\0")):
        what, _, name = entry.partition("\t")
        _, kind, blob = what.split()
        if kind == "blob":
            yield name.removeprefix(path), _git(git, "cat-file", "blob", blob)


def _archive(files: Sequence[tuple[str, bytes]]) -> bytes:
    """A tar.gz of the files in order of their names, always of the same bytes."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for name, content in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _git(folder: Path, *words: str) -> bytes:
    return subprocess.run(["git", "--git-dir", folder, *words], check=True, capture_output=True).stdout


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wrong = taken(Path(sys.argv[1]), Path(sys.argv[2]))
    print(*wrong, sep="\n")
    sys.exit(f"{len(wrong)} files are missing" if wrong else 0)
