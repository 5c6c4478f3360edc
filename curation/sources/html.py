"""Files of HTML, such as a folder that a mirror wrote, plain or compressed, and tar and zip archives of them; `extract`
makes texts of them.

    - read: {html: {paths: [site/], base_url: "https://example.org/"}}
    - extract: {resiliparse: {}}

A file is a page if its name ends as one of a page does, or if it begins like one; others are passed over and counted
(`skipped.not_html`). The URL of a page is its path below the folder that `paths` name, or in its archive, behind
`base_url`; without `base_url` it is that path alone. The page itself says its encoding. The `origin` of a file in an
archive is the archive's path, `#` and its name, and `origin_offset` its number among those read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar
from urllib.parse import quote

from curation.core import storage
from curation.core.protocols import Piece, ReadTally
from curation.sources.http import HTML_TYPES, looks_like_html
from curation.sources.lines import PACKED
from curation.sources.source_files import PageFiles

PAGE = re.compile(rf"\.(?:html?|xhtml?|shtml|php|aspx?|jsp)(?:\.(?:{PACKED}))?\Z", re.IGNORECASE)  # ends of names
_BASE = re.compile(r"https?://[^/?#\s]+(?:/[^?#\s]*)?")
_KEPT = "/?=&;,:@!$'()*+~%"  # in the name of a file that a mirror wrote


@dataclass(frozen=True, kw_only=True)
class Html(PageFiles):
    """HTML files; each `paths` entry is a file, a folder or a glob."""

    base_url: Annotated[str | None, "URL of the folder or archive; a page's path is put behind it"] = None
    max_file_bytes: Annotated[int, "of a file, decompressed; a longer one is dropped"] = 16 << 20

    version: ClassVar[int] = 1
    content_type: ClassVar[str] = HTML_TYPES[0]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base_url is not None and not _BASE.fullmatch(self.base_url):
            raise ValueError(f"base_url is {self.base_url!r}; give one such as https://example.org/docs/")

    def takes(self, path: str, member: str, number: int, content: bytes | None, tally: ReadTally) -> bool:
        """True of what is named or begins like a page."""
        if PAGE.search(member or path) or looks_like_html(content or b""):
            return True
        tally.records["skipped.not_html"] += 1
        return False

    def address(self, piece: Piece, member: str) -> str:
        """The path below the folder or in the archive, behind `base_url` if the recipe has one."""
        path = member or below(piece, fixed_folders(tuple(self.paths)))
        return path if self.base_url is None else f"{self.base_url.rstrip('/')}/{quote(path.lstrip('/'), safe=_KEPT)}"


@lru_cache(maxsize=8)  # asked for each file
def fixed_folders(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The folders that paths or globs name, each once."""
    return tuple(dict.fromkeys(storage.absolute(folder_of(pattern)) for pattern in patterns))


def folder_of(pattern: str) -> str:
    """The folder that a path or glob names, as far as it has no wildcard; a file is taken for a folder."""
    parts = pattern.split("/")
    fixed = next((number for number, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return "/".join(parts[:fixed])


def below(piece: Piece, folders: Sequence[str]) -> str:
    """The path of a file below the first of the folders in which it is; otherwise its name in the source."""
    for folder in folders:
        if piece.path.startswith(f"{folder.rstrip('/')}/"):
            return piece.path[len(folder.rstrip("/")) + 1 :]
    return piece.name
