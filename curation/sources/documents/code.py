"""Code: a document for each file of git repositories and of repositories' tarballs.

    - read: {code: {paths: [repositories/, "releases/*.tar.gz"]}}

A repository is read at the commit that HEAD named when the run was planned, from its objects and never its working
folder. The column `code` holds `repository` (where it was cloned from, else its name), `commit`, `path` and `language`
(`repositories/file_language`); `url` joins the first three, `crawled_at` is the commit's date, and `licence` that of
the file's SPDX line or of the nearest licence file (`repositories/licence_files`). Vendored, generated, minified,
binary and empty files, a tarball's `.git` folder, and pointers of Git LFS and git-annex to files kept elsewhere, are
passed over and counted (`skipped.vendored` …; `repositories/passed_over`), as are links and submodules. Notebooks
become Markdown with code in fences; one that cannot be read has no text. Text that is not UTF-8 is read by the encoding
that it seems to be in (`lenient.charset`); where that cannot be told, bytes become U+FFFD and are counted
(`lenient.invalid_utf8`).
`origin_offset` is the file's number among those read. Of a repository of more than 20,000 files or 256 million
characters, or of very long paths, the order stays its own, which is counted (`lenient.order`).

Source: Kocetkov et al. 2022, "The Stack" (arXiv:2211.15533): files with their repository and licence.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple
from urllib.parse import quote

import pyarrow as pa

from curation.core.catalog import key_of
from curation.core.component import Signals
from curation.core.document import document_id
from curation.core.file_start import FileStart, Guess
from curation.core.input_files import InputFile
from curation.core.names import system_name
from curation.core.protocols import Piece, ReadTally
from curation.core.reading import converted
from curation.core.reasons import error_reason, extract_reason
from curation.core.watchdog import Overrun
from curation.sources.documents.repositories.file_kind import recognised
from curation.sources.documents.repositories.file_language import language_of
from curation.sources.documents.repositories.git_repository import GitRepository, check_repository
from curation.sources.documents.repositories.import_order import import_order, names_size
from curation.sources.documents.repositories.licence_files import spdx_line
from curation.sources.documents.repositories.notebook import notebook_text
from curation.sources.documents.repositories.passed_over import cause_by_content, cause_by_name
from curation.sources.documents.repositories.repository_file import Repository, RepositoryFile
from curation.sources.documents.repositories.repository_list import list_repositories
from curation.sources.documents.repositories.tarball import Tarball
from curation.sources.source_files import TextSource
from curation.sources.units import batched, group
from curation.sources.utf8 import judged

MAX_ORDERED = 20_000  # files of a repository that are ordered by their imports
MAX_ORDERED_SIZE = 256 << 20  # characters of these
MAX_NAMES_SIZE = 64 << 20  # characters of the names by which they may be imported; 20,000 files have 10 million
CHECKED = 1_000  # repositories that are looked at before work


class _CodeFile(NamedTuple):
    """A document to be: its text, or the reason why it has none."""

    number: int
    path: str
    text: str | None
    reason: str | None
    language: str | None
    licence: str | None


@dataclass(frozen=True, kw_only=True)
class Code(TextSource):
    """Repositories and tarballs; each `paths` entry is one, a folder of some, or a glob; in a store, tarballs only."""

    paths: Annotated[tuple[str, ...], "repositories, tarballs, folders, globs or URIs; --input gives others"]
    default_licence: Annotated[str | None, "the licence of files without one: a value"] = None
    order: Annotated[
        Literal["repository", "imports"], "imports: a file after those that it imports; small repositories only"
    ] = "repository"

    version: ClassVar[int] = 4
    libraries: ClassVar[tuple[str, ...]] = ("pygments", "licenseclassifier")

    def signal_types(self) -> Signals:
        """`repository`, `commit`, `path` and `language`."""
        return dict.fromkeys(("repository", "commit", "path", "language"), pa.string())

    @classmethod
    def recognise(cls, start: FileStart) -> Guess | None:
        """Folders of git, and archives with the files of programs."""
        return recognised(start)

    def list_inputs(self, pattern: str) -> list[InputFile]:
        """Repositories and tarballs."""
        return list_repositories(pattern)

    def left_out(self, pattern: str) -> list[str]:
        """None: what a repository hides is of no interest."""
        return []

    def check(self, paths: Sequence[str]) -> None:
        """Raises InputError where git cannot read one of up to `CHECKED` repositories."""
        for path in paths[:: -(-len(paths) // CHECKED) or 1]:
            check_repository(path)

    def split(self, files: Sequence[InputFile], *, group_bytes: int, split_bytes: int) -> list[tuple[Piece, ...]]:
        """Small ones together; none is cut. Of a repository the commit stays the planned one, whatever comes after."""
        return group(((_piece(file), file.size) for file in files), group_bytes)

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        """Batches of `schema`. Raises InputError for what is missing, and for a repository that git cannot read."""
        for piece in unit:
            repository = _opened(piece)
            rows = self._rows(repository, piece, tally)
            ordered = _by_imports(rows, tally) if self.order == "imports" else rows
            for some in batched((row, len(row.text or "")) for row in ordered):
                yield self._batch(some, repository, piece, source)

    def _rows(self, repository: Repository, piece: Piece, tally: ReadTally) -> Iterator[_CodeFile]:
        if repository.licences.many:
            tally.fault(piece.path, -1, "too many licence files; none was read")

        def wanted(path: str) -> bool:
            cause = cause_by_name(path)
            if cause:
                tally.records[f"skipped.{cause}"] += 1
            return cause is None

        for number, file in enumerate(repository.files(wanted, self.max_document_bytes, tally)):
            cause = cause_by_content(file.path, file.content) if file.content is not None else None
            if cause:
                tally.records[f"skipped.{cause}"] += 1
                continue
            row = converted(partial(self._row, number, file, repository, tally))
            if isinstance(row, Overrun):
                row = _CodeFile(number, file.path, None, error_reason(key_of(type(self)), row), None, None)
            yield row

    def _row(self, number: int, file: RepositoryFile, repository: Repository, tally: ReadTally) -> _CodeFile:
        text, reason = _text(file, tally)
        licence = spdx_line(file.content or b"") or repository.licences.of(file.path) or self.default_licence
        language = language_of(file.path, text or "")
        return _CodeFile(number, file.path, text, reason and extract_reason(reason), language, licence)

    def _batch(self, rows: list[_CodeFile], repository: Repository, piece: Piece, source: str) -> pa.RecordBatch:
        commit = repository.commit or None
        moment = repository.moment
        signals = [
            {"repository": repository.name, "commit": commit, "path": row.path, "language": row.language}
            for row in rows
        ]
        columns = {
            "doc_id": [document_id(source, piece.name, row.number, row.path) for row in rows],
            "url": [_url(repository, row.path) for row in rows],
            "source": [source] * len(rows),
            "crawled_at": [moment] * len(rows),
            "licence": [row.licence for row in rows],
            "record_id": [None] * len(rows),
            "declared_language": [None] * len(rows),
            "origin": [piece.path] * len(rows),
            "origin_offset": [row.number for row in rows],
            "truncated": [None] * len(rows),
            "text": [row.text for row in rows],
            "drop_reason": [row.reason for row in rows],
            "code": signals,
        }
        schema = self.schema()
        arrays = [pa.array(columns[field.name], field.type) for field in schema]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _by_imports(rows: Iterator[_CodeFile], tally: ReadTally) -> Iterator[_CodeFile]:
    """In the order of their imports, unless there are too many to be held."""
    held: list[_CodeFile] = []
    size = names = 0
    for row in rows:
        held.append(row)
        size += len(row.text or "")
        names += names_size(row.path)
        if len(held) > MAX_ORDERED or size > MAX_ORDERED_SIZE or names > MAX_NAMES_SIZE:
            tally.records["lenient.order"] += 1
            yield from chain(held, rows)
            return
    yield from (held[number] for number in import_order(held))


def _piece(file: InputFile) -> Piece:
    """A repository's holds the commit; its size stays unknown, since files of it change when others are committed."""
    is_folder = Path(system_name(file.path)).is_dir()
    return Piece(file.path, name=file.name, stamp=file.stamp) if is_folder else Piece.of(file)


def _opened(piece: Piece) -> Repository:
    if Path(system_name(piece.path)).is_dir():
        return GitRepository(piece.path, piece.name, str(piece.stamp or ""))
    return Tarball(piece.path, piece.name)


def _text(file: RepositoryFile, tally: ReadTally) -> tuple[str | None, str | None]:
    """Its text, or the cause why there is none."""
    if file.content is None:
        return None, "too_many_bytes"
    if file.path.endswith(".ipynb"):
        text = notebook_text(file.content)
        return text, "no_text" if text is None else None
    return judged(file.content, tally), None


def _url(repository: Repository, path: str) -> str:
    """Where forges show the file at this commit; without a known commit the name and the path."""
    middle = f"blob/{repository.commit}/" if repository.commit and "://" in repository.name else ""
    return f"{repository.name}/{middle}{quote(os.fsencode(system_name(path)))}"
