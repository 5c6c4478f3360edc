"""Files that publishers wrote, in public repositories: where each is, and what a source has to find in it.

`lists/KIND.jsonl` has a line of JSON for each, where KIND is the key of a source. `documents` is the number that an
independent reader finds. A `path` that ends with `/`, or is empty, is a folder, which becomes an archive.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

LISTS = Path(__file__).parent / "lists"


@dataclass(frozen=True, kw_only=True)
class RealFile:
    """`sha256`: of the file; of a folder, of the lines that `sha256sum` writes of its sorted files."""

    kind: str
    repository: str
    commit: str
    path: str
    sha256: str
    documents: int
    dropped: Mapping[str, int] = field(default_factory=dict)  # reason -> rows
    records: Mapping[str, int] = field(default_factory=dict)  # what is counted while it is read
    faults: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)  # of the source
    name: str = ""  # under which it is stored, where a source reads it
    note: str = ""

    @property
    def is_folder(self) -> bool:
        return not self.path or self.path.endswith("/")

    def within(self, folder: Path) -> Path:
        """Where the file is in the folder that `take` has filled."""
        place = PurePosixPath(self.path or "all")
        name = self.name or f"{place.name}{'.tar.gz' if self.is_folder else ''}"
        return folder / self.kind / self.repository.replace("/", "+") / place.parent / name


def real_files() -> Iterator[RealFile]:
    """All that are listed, in order."""
    for path in sorted(LISTS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            yield RealFile(kind=path.stem, **json.loads(line))


def folder_hash(files: Sequence[tuple[str, bytes]]) -> str:
    """SHA-256 over a folder's files, given with their names."""
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
