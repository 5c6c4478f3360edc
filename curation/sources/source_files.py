"""The bases of sources of files: where the files are, how they go into units, and how much one may hold."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pyarrow as pa

from curation.core.document import MAX_DOCUMENT_BYTES, RAW, document_id
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reasons import extract_reason
from curation.sources.tars import tar_texts
from curation.sources.units import group, row_batches
from curation.sources.zips import is_zip, zip_files


@dataclass(frozen=True, kw_only=True)
class FileSource(Source):
    """Each `paths` entry is a file, a folder or a glob."""

    paths: Annotated[tuple[str, ...], "files, folders, globs or URIs; --input gives others"]

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small files together; a file is never cut."""
        return group(((Piece.of(file), file.size) for file in files), group_bytes)


@dataclass(frozen=True, kw_only=True)
class TextSource(FileSource):
    """Files of texts, each at most as long as the recipe says."""

    max_document_bytes: Annotated[int, "of UTF-8 text; tasks need up to 60 times as much memory"] = MAX_DOCUMENT_BYTES

    yields: ClassVar[Literal["html", "text"]] = "text"

    def __post_init__(self) -> None:
        if self.max_document_bytes < 1:
            raise ValueError(f"max_document_bytes is {self.max_document_bytes}; give 1 or more")


@dataclass(frozen=True, kw_only=True)
class PageFiles(FileSource):
    """Files whose bytes `extract` makes texts of: alone, or in tar and zip archives."""

    licence: Annotated[str | None, "written to every row"] = None
    max_file_bytes: Annotated[int, "of a file, decompressed; a longer one is dropped"] = 64 << 20

    yields: ClassVar[Literal["html", "text"]] = "html"
    content_type: ClassVar[str]

    def __post_init__(self) -> None:
        if self.max_file_bytes < 1:
            raise ValueError(f"max_file_bytes is {self.max_file_bytes}; give 1 or more")

    def takes(self, path: str, member: str, number: int, content: bytes | None, tally: ReadTally) -> bool:
        """Whether the file is one of the source's kind; if not, counts it. `member`: its name in an archive, else "";
        `content`: None of one that is too long."""
        raise NotImplementedError

    def address(self, piece: Piece, member: str) -> str | None:
        """The URL of a file."""
        return None

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """RAW batches. Raises InputError for a file that is missing."""
        yield from row_batches((row for piece in unit for row in self._rows(piece, source, tally)), RAW)

    def _rows(self, piece: Piece, source: str, tally: ReadTally) -> Iterator[dict[str, Any]]:
        most = self.max_file_bytes
        zipped = is_zip(piece.path)
        files = zip_files(piece.path, tally, most) if zipped else tar_texts(piece.path, tally, most, alone=True)
        for number, (member, content) in enumerate(files):
            if self.takes(piece.path, member, number, content, tally):
                own = hashlib.blake2b(content or b"", digest_size=16).hexdigest()
                yield {
                    "doc_id": document_id(source, piece.name, number, own),
                    "url": self.address(piece, member),
                    "source": source,
                    "licence": self.licence,
                    "origin": f"{piece.path}#{member}" if member else piece.path,
                    "origin_offset": number,
                    "content": content,
                    "content_type": self.content_type,
                    "drop_reason": extract_reason("too_many_bytes") if content is None else None,
                }
